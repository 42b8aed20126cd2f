#include "coordinator/inspect/inspector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/suggest.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/summaries.hpp"
#include "coordinator/values.hpp"
#include "storage/keys.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kIdsCompared = 1000;
/// Chains of earlier versions, whose summaries do not say how far they have come: so many journals are read for one page.
constexpr std::uint32_t kFoldedMax = 50;

// ---- cursors of lists of chains: "START.ID" of the last that was looked at ------------------------------------------------------

std::string cursor_behind(const storage::IndexPlace& place) { return fmt::format("{}.{}", place.started_at, place.id.value); }

Result<storage::IndexPlace> read_chain_cursor(std::string_view cursor) {
  storage::IndexPlace place;
  const auto [end, failed] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), place.started_at);
  const auto rest = cursor.substr(static_cast<std::size_t>(end - cursor.data()));
  if (failed == std::errc{} && rest.starts_with('.')) {
    place.id.value = rest.substr(1);
    if (storage::check_chain_id(place.id)) return place;
  }
  return fail(Code::usage, "the cursor is not one that a page of chains had; begin without a cursor");
}

bool wanted(const storage::ChainSummary& summary, const ListChains& ask) {
  if (ask.parent && ask.parent->value != summary.parent) return false;
  if (!ask.below.empty()) {  // ids tell the family
    const std::string_view id{summary.id.value};
    if (!id.starts_with(ask.below.value) || id.size() <= ask.below.value.size() || id[ask.below.value.size()] != '/') return false;
  }
  return ask.statuses.empty() ||
         std::ranges::any_of(ask.statuses, [&](engine::ChainStatus status) { return engine::name(status) == summary.status; });
}

ShownValue shown(const engine::Payload& payload) {
  if (payload.empty()) return {};
  return {payload.text, payload.in_blob() ? payload.bytes : payload.text.size()};
}

/// The summary alone says so of a chain that a start has set aside.
void show_set_aside(Recovered& recovered) {
  const auto& summary = recovered.summary;
  if (summary.status != engine::name(engine::ChainStatus::quarantined)) return;
  recovered.state.status = engine::ChainStatus::quarantined;
  const auto error = summary.extra.is_object() ? summary.extra.find("error") : summary.extra.end();
  if (error != summary.extra.end()) recovered.state.error = error_from_json(*error);
}

StepRow step_row(const engine::VisitState& visit, std::string id) {
  StepRow row;
  row.id = std::move(id);
  row.status = visit.status;
  row.visit = visit.visit;
  row.fan_out = visit.fan_out;
  row.items = visit.width;
  row.ok = visit.ok.count();
  row.failed = visit.bad.count();
  row.entered_at = visit.entered_at;
  row.settled_at = visit.settled_at;
  row.error = visit.error;
  return row;
}

ItemStatus status_of_item(const engine::ChainState& state, StepIndex step, ItemIndex item) {
  const auto& visit = state.steps[step];
  if (visit.ok.test(item)) return ItemStatus::succeeded;
  if (visit.bad.test(item)) return ItemStatus::failed;
  if (engine::settled(visit.status)) return ItemStatus::not_needed;
  if (visit.in_doubt.contains(item)) return ItemStatus::in_doubt;
  const VisitId id{step, visit.visit};
  for (const auto& [number, grant] : state.grants) {
    if (grant.visit == id && grant.open.contains(item)) return ItemStatus::running;
  }
  return item < visit.next && !visit.again.contains(item) ? ItemStatus::waiting : ItemStatus::queued;
}

}  // namespace

std::uint32_t page_rows(std::uint32_t asked) { return asked == 0 ? kPageRowsMax : std::min(asked, kPageRowsMax); }

Result<Answer> Inspector::answer_any(const Question& question) {
  return std::visit([this](const auto& ask) { return answer(ask).map([](auto answered) { return Answer{std::move(answered)}; }); }, question);
}

// ---- what is known of a chain -----------------------------------------------------------------------------------------------

std::shared_ptr<const lang::Program> Inspector::Known::program() const {
  if (!package) return nullptr;
  const auto found = package->programs.find(state().definition);
  const bool fits = found != package->programs.end() && found->second->steps.size() == state().steps.size();
  return fits ? found->second : nullptr;
}

Error Inspector::chain_not_found(const ChainId& chain) const {
  std::vector<std::string> ids;
  // For a suggestion only: what cannot be listed is not suggested.
  static_cast<void>(storage::list_summaries(kv_, {.count_max = kIdsCompared}, [&](const storage::ChainSummary& summary) {
    ids.push_back(summary.id.value);
    return true;
  }));
  auto hint = did_you_mean(chain.value, ids);
  if (hint.empty()) hint = "; `catena list` shows those there are";
  return make_error(Code::chain_not_found, fmt::format("no chain is called '{}'{}", chain.value, hint));
}

Result<storage::ChainSummary> Inspector::summary_of_chain(const ChainId& chain) {
  auto summary = storage::load_summary(kv_, chain);
  if (!summary && summary.error().code != Code::id_invalid) return fail(std::move(summary).error());
  if (!summary || !*summary) return fail(chain_not_found(chain));
  return std::move(**summary);
}

Result<std::shared_ptr<const lang::Package>> Inspector::package_of(const std::string& hash) {
  if (package_ && package_->hash == hash) return package_;
  auto package = recover_package(kv_, hash, catalog_);
  if (package) package_ = *package;
  return package;
}

Result<Inspector::Known> Inspector::known(const ChainId& chain) {
  auto summary = summary_of_chain(chain);
  if (!summary) return fail(std::move(summary).error());
  auto recovered = recover_state(kv_, std::move(*summary));
  if (!recovered) return fail(std::move(recovered).error());
  Known found;
  found.recovered = std::move(*recovered);
  show_set_aside(found.recovered);
  auto package = package_of(found.state().package);
  if (package) {
    found.package = std::move(*package);
  } else {
    found.package_error = std::move(package).error();
  }
  return found;
}

// ---- chains -----------------------------------------------------------------------------------------------------------------

ListedChain Inspector::listed(const storage::ChainSummary& summary, std::uint32_t& folded) const {
  ListedChain row;
  row.id = summary.id;
  row.name = summary.name;
  row.parent = ChainId{summary.parent};
  row.started_at = summary.started_at;
  row.finished_at = summary.finished_at;
  const auto counts = step_counts_of(summary);
  row.steps = counts.steps;
  row.steps_settled = counts.settled;
  const auto status = engine::chain_status_named(summary.status);
  if (status) row.status = *status;
  if (status && (counts.current || engine::terminal(*status))) return row;
  // An earlier version wrote it.
  ++folded;
  const auto recovered = recover_state(kv_, summary);
  if (!recovered) return row;  // what the summary says is shown all the same
  const auto& state = recovered->state;
  if (!status) row.status = state.status;
  row.steps = static_cast<std::uint32_t>(state.steps.size());
  row.steps_settled = row.steps - state.unsettled;
  return row;
}

Result<ChainPage> Inspector::answer(const ListChains& ask) {
  storage::SummaryFilter filter;
  if (ask.statuses.size() == 1) filter.statuses = {std::string{engine::name(ask.statuses.front())}};
  if (!ask.cursor.empty()) {
    auto after = read_chain_cursor(ask.cursor);
    if (!after) return fail(std::move(after).error());
    filter.after = std::move(*after);
  }
  ChainPage page;
  storage::IndexPlace last;
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::uint32_t folded = 0;
  const auto rows = page_rows(ask.limit);
  const auto scanned = storage::list_summaries(kv_, filter, [&](const storage::ChainSummary& summary) {
    if (page.chains.size() == rows || bytes > kPageBytesMax || looked_at == kChainsLookedAtMax || folded == kFoldedMax) {
      page.cursor = cursor_behind(last);
      return false;
    }
    ++looked_at;
    last = {summary.started_at, summary.id};
    if (!wanted(summary, ask)) return true;
    auto row = listed(summary, folded);
    bytes += row.id.value.size() + row.name.size() + row.parent.value.size();
    page.chains.push_back(std::move(row));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

Result<ChainDescription> Inspector::answer(const DescribeChain& ask) {
  auto chain = known(ask.chain);
  if (!chain) return fail(std::move(chain).error());
  const auto& state = chain->state();
  ChainDescription told;
  told.chain = ask.chain;
  told.status = state.status;
  told.definition = state.definition;
  told.package = state.package;
  told.parent = state.parent;
  told.started_at = state.started_at;
  told.finished_at = state.finished_at;
  told.now = std::max(clock_.now(), state.last_at);  // the clock may have been set back since its last event
  told.steps = static_cast<std::uint32_t>(state.steps.size());
  told.steps_settled = told.steps - state.unsettled;
  told.error = state.error;
  told.package_error = chain->package_error;
  told.arguments = shown(state.arguments);
  told.context = shown(state.context);
  told.response = shown(state.response);
  return told;
}

Result<StepPage> Inspector::answer(const ListSteps& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto program = chain->program();
  const auto& steps = chain->state().steps;
  StepPage page;
  std::size_t bytes = 0;
  for (StepIndex step = ask.from; step < steps.size(); ++step) {
    if (page.steps.size() == kPageRowsMax || bytes > kPageBytesMax) {
      page.next = step;
      break;
    }
    page.steps.push_back(step_row(steps[step], step_id(program.get(), step)));
    const auto& row = page.steps.back();
    bytes += row.id.size() + (row.error ? to_json_text(*row.error).size() : 0);
  }
  return page;
}

Result<AttemptCounts> Inspector::answer(const CountAttempts& ask) {
  if (auto there = summary_of_chain(ask.chain); !there) return fail(std::move(there).error());
  AttemptCounts told;
  std::map<StepIndex, std::int64_t> attempts;
  std::uint32_t events = 0;
  const auto count = [&](Sequence sequence, const engine::Event& event) {
    if (events++ == kEventsCountedMax) {
      told.next = sequence;
      return false;
    }
    if (const auto* granted = std::get_if<engine::Granted>(&event)) attempts[granted->visit.step] += granted->items.size();
    const auto* ended = std::get_if<engine::AttemptsEnded>(&event);
    const bool given_back = ended != nullptr && ended->error && ended->error->code == Code::given_back;
    if (given_back) attempts[ended->visit.step] -= ended->items.size();  // they never began
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, count, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  for (const auto& [step, number] : attempts) told.steps.push_back({step, number});
  return told;
}

Result<HistoryPage> Inspector::answer(const ReadHistory& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto program = chain->program();
  HistoryPage page;
  std::size_t bytes = 0;
  const auto rows = page_rows(ask.limit);
  const auto add = [&](Sequence sequence, const engine::Event& event) {
    if (page.events.size() == rows || bytes > kPageBytesMax) {
      page.next = sequence;
      return false;
    }
    auto described = describe(event, program.get());
    page.events.push_back({sequence, described.at, std::move(described.text), ask.in_full ? dump_lossy(engine::to_json(event)) : std::string{}});
    bytes += page.events.back().text.size() + page.events.back().json.size();
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, add, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  return page;
}

// ---- values and items -------------------------------------------------------------------------------------------------------

Result<StepIndex> Inspector::step_named(const Known& chain, const ChainId& id, const std::string& step) {
  const auto program = chain.program();
  if (!program) {
    if (chain.package_error) return fail(*chain.package_error);
    return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", id.value));
  }
  if (const auto found = program->find_step(step)) return *found;
  std::vector<std::string> ids;
  for (const auto& each : program->steps) ids.push_back(each.id);
  return fail(Code::usage, fmt::format("chain '{}' has no step '{}'{}", id.value, step, did_you_mean(step, ids)));
}

Result<ValuePiece> Inspector::piece_of(const engine::Payload& payload, std::uint32_t piece) const {
  if (payload.empty()) return ValuePiece{{}, 0, false};
  const auto no_piece = [&] { return fail(Code::usage, fmt::format("the value has no piece {}", piece)); };
  if (!payload.in_blob()) {
    if (piece != 0) return no_piece();
    return ValuePiece{payload.text, 0, true};
  }
  auto part = storage::load_blob_part(kv_, payload.blob, piece);
  if (!part) return fail(std::move(part).error());
  if (!*part && piece != 0) return no_piece();
  if (!*part) return fail(Code::storage_corrupt, fmt::format("the blob {} is missing from the data directory", payload.blob));
  const auto next = storage::load_blob_part(kv_, payload.blob, piece + 1);
  if (!next) return fail(next.error());
  return ValuePiece{std::move(**part), *next ? piece + 1 : 0, true};
}

Result<ValuePiece> Inspector::answer(const ReadValue& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto& state = chain->state();
  switch (ask.what) {
    case ValueOf::arguments: return piece_of(state.arguments, ask.piece);
    case ValueOf::context: return piece_of(state.context, ask.piece);
    case ValueOf::response: return piece_of(state.response, ask.piece);
    case ValueOf::step:
    case ValueOf::item: break;
  }
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& visit = state.steps[*step];
  if (ask.what == ValueOf::step || !visit.fan_out) return piece_of(visit.response, ask.piece);
  const auto payload = storage::load_item(kv_, ask.chain, {*step, visit.visit}, ask.item);
  if (!payload) return fail(payload.error());
  if (!*payload) return piece_of({}, ask.piece);
  auto record = storage::decode_item(**payload);
  if (!record) return fail(std::move(record).error());
  if (!record->ok) return piece_of({}, ask.piece);
  return piece_of({std::move(record->text), std::move(record->blob), 0}, ask.piece);
}

Result<ItemRow> Inspector::item_row(const ListItems& ask, const engine::ChainState& state, StepIndex step, ItemIndex item) const {
  const auto& visit = state.steps[step];
  ItemRow row;
  row.item = item;
  row.status = status_of_item(state, step, item);
  if (const auto tries = visit.tries.find(item); tries != visit.tries.end()) row.failed_attempts = tries->second.failed;
  if (row.status != ItemStatus::succeeded && row.status != ItemStatus::failed) return row;
  if (!visit.fan_out) {
    row.response = visit.response.text;
    row.error = visit.error ? visit.error : visit.first_error;
    return row;
  }
  const auto payload = storage::load_item(kv_, ask.chain, {step, visit.visit}, item);
  if (!payload) return fail(payload.error());
  if (!*payload) return row;
  auto record = storage::decode_item(**payload);
  if (!record) return fail(std::move(record).error());
  if (record->ok) {
    row.response = std::move(record->text);
  } else {
    row.error = error_from_json(Json::parse(record->text, nullptr, false));
  }
  return row;
}

Result<ItemPage> Inspector::answer(const ListItems& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& visit = chain->state().steps[*step];
  ItemPage page;
  page.visit = visit.visit;
  page.width = visit.fan_out ? visit.width : visit.visit == 0 ? 0 : 1;
  std::size_t bytes = 0;
  const auto rows = page_rows(ask.limit);
  for (ItemIndex item = ask.from; item < page.width; ++item) {
    if (page.items.size() == rows || bytes > kPageBytesMax) {
      page.next = item;
      break;
    }
    auto row = item_row(ask, chain->state(), *step, item);
    if (!row) return fail(std::move(row).error());
    bytes += row->response.size() + (row->error ? to_json_text(*row->error).size() : 0);
    page.items.push_back(std::move(*row));
  }
  return page;
}

}  // namespace catena::coordinator
