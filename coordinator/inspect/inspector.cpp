#include "coordinator/inspect/inspector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/overloads.hpp"
#include "base/suggest.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/named_step.hpp"
#include "coordinator/summaries.hpp"
#include "coordinator/values.hpp"
#include "engine/approvals.hpp"
#include "engine/signals.hpp"
#include "storage/chain_removal.hpp"
#include "storage/keys.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kIdsCompared = 1000;

ShownValue shown(const engine::Payload& payload) {
  if (payload.empty()) return {};
  return {payload.text, payload.in_blob() ? payload.bytes : payload.text.size()};
}

/// The summary alone says so of a chain that a start has set aside.
void show_set_aside(Recovered& recovered) {
  const auto& summary = recovered.summary;
  if (summary.status != engine::name(engine::ChainStatus::quarantined)) return;
  recovered.state.status = engine::ChainStatus::quarantined;
  if (auto error = error_of(summary)) recovered.state.error = std::move(error);
}

/// A piece of a text that is made anew for each.
Result<ValuePiece> slice_of(const std::string& text, std::uint32_t piece) {
  const auto from = std::uint64_t{piece} * kPageBytesMax;
  if (from >= text.size() && piece != 0) return fail(Code::usage, fmt::format("the value has no piece {}", piece));
  ValuePiece told;
  told.text = text.substr(from, kPageBytesMax);
  if (from + kPageBytesMax < text.size()) told.next = piece + 1;
  return told;
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
  if (visit.terms) row.terms = *visit.terms;
  return row;
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

Result<Recovered> Inspector::recovered(const ChainId& chain) {
  if (just_ended_) {
    const auto before = storage::load_removal_count(kv_);
    if (!before) return fail(before.error());
    if (auto ended = just_ended_->find(chain, *before)) return std::move(*ended);
  }
  auto summary = summary_of_chain(chain);
  if (!summary) return fail(std::move(summary).error());
  const auto removals = storage::load_removal_count(kv_);  // after the summary: if that is of a later chain under this id, the count tells
  if (!removals) return fail(removals.error());
  if (ended_ && ended_->summary.id == chain && removals_ == *removals) {  // the same chain still, and what was written of it only grows
    ended_->summary = std::move(*summary);
    if (auto grown = catch_up(kv_, *ended_); !grown) return fail(std::move(grown).error());
    return *ended_;
  }
  auto recovered = recover_state(kv_, std::move(*summary));
  if (recovered && engine::terminal(recovered->state.status)) {
    ended_ = *recovered;
    removals_ = *removals;
  }
  return recovered;
}

Result<Inspector::Known> Inspector::known(const ChainId& chain) {
  auto recovered = this->recovered(chain);
  if (!recovered) return fail(std::move(recovered).error());
  show_set_aside(*recovered);
  return with_package(std::move(*recovered));
}

Result<Inspector::Known> Inspector::known(const ChainId& chain, std::uint32_t epoch) {
  if (epoch == 0) return known(chain);
  auto recovered = recovered_at(chain, epoch);
  if (!recovered) return fail(std::move(recovered).error());
  return with_package(std::move(*recovered));
}

Result<Recovered> Inspector::recovered_at(const ChainId& chain, std::uint32_t epoch) {
  auto summary = summary_of_chain(chain);
  if (!summary) return fail(std::move(summary).error());
  const auto removals = storage::load_removal_count(kv_);
  if (!removals) return fail(removals.error());
  if (past_ && past_->epoch == epoch && past_->recovered.summary.id == chain && past_->removals == *removals) return past_->recovered;
  Recovered then;
  then.summary = std::move(*summary);
  std::uint32_t number = 1;
  bool over = false;
  const auto read = read_history(kv_, chain, [&](Sequence, const engine::Event& event) {
    const bool opens = std::visit([]<class E>(const E&) { return OneOf<E, engine::RetryRequested, engine::ChainForked>; }, event);
    if (opens && number++ == epoch) {
      over = true;
      return false;
    }
    engine::evolve(then.state, event);
    return true;
  });
  if (!read) return fail(read.error());
  if (!over && number < epoch)
    return fail(Code::usage, fmt::format("chain '{}' has {} epoch{}: there is no epoch {}", chain.value, number, number == 1 ? "" : "s", epoch));
  if (over)
    past_ = Past{epoch, *removals, then};
  else
    show_set_aside(then);
  return then;
}

Result<Inspector::Known> Inspector::with_package(Recovered recovered) {
  Known found;
  found.recovered = std::move(recovered);
  auto package = package_of(found.state().package);
  if (package) {
    found.package = std::move(*package);
  } else {
    found.package_error = std::move(package).error();
  }
  return found;
}

// ---- chains -----------------------------------------------------------------------------------------------------------------

Result<ChainDescription> Inspector::answer(const DescribeChain& ask) {
  auto chain = known(ask.chain, ask.epoch);
  if (!chain) return fail(std::move(chain).error());
  const auto& state = chain->state();
  ChainDescription told;
  told.chain = ask.chain;
  told.status = state.status;
  told.name = chain->recovered.summary.name;
  told.definition = state.definition;
  told.package = state.package;
  told.parent = state.parent;
  told.started_at = state.started_at;
  told.finished_at = state.finished_at;
  told.deadline_at = state.deadline_at;
  told.now = std::max(clock_.now(), state.last_at);  // the clock may have been set back since its last event
  told.steps = static_cast<std::uint32_t>(state.steps.size());
  told.steps_settled = told.steps - state.unsettled;
  told.error = state.error;
  told.package_error = chain->package_error;
  told.arguments = shown(state.arguments);
  told.context = shown(state.context);
  told.response = shown(state.response);
  told.cancel_reason = state.cancel_words.get().reason;
  told.cancelled_by = state.cancel_words.get().by;
  told.pause_reason = state.pause_reason;
  told.paused_by = state.paused_by;
  told.paused_at = state.paused_at;
  told.paused_above = state.paused_above;
  told.priority = state.priority;
  told.last_event = state.seq;
  told.last_at = state.last_at;
  told.labels = state.labels;
  told.forked_from = state.forked_from.get().source;
  told.forked_at = state.forked_from.get().shared;
  told.trace = chain_trace(ask.chain, state.started_at, state.trace.get(), state.trace_part).id;
  return told;
}

Result<StepPage> Inspector::answer(const ListSteps& ask) {
  const auto chain = known(ask.chain, ask.epoch);
  if (!chain) return fail(chain.error());
  const auto program = chain->program();
  const auto& steps = chain->state().steps;
  const auto signalled = program ? engine::signals_due(*program, chain->state()) : std::map<StepIndex, std::uint64_t>{};
  StepPage page;
  std::size_t bytes = 0;
  for (StepIndex step = ask.from; step < steps.size(); ++step) {
    if (page.steps.size() == kPageRowsMax || bytes > kPageBytesMax) {
      page.next = step;
      break;
    }
    page.steps.push_back(step_row(steps[step], step_id(program.get(), step)));
    auto& row = page.steps.back();
    const auto* signal = program && step < program->steps.size() ? lang::signal_of(program->steps[step]) : nullptr;
    if (signal != nullptr && row.status == engine::VisitStatus::running && !signalled.contains(step)) row.signal = signal->name;
    row.awaits_approval = engine::waiting_for_approval(chain->state(), step).size();
    bytes += row.signal.size();
    bytes += row.id.size() + (row.error ? to_json_text(*row.error).size() : 0);
  }
  return page;
}

// ---- values and items -------------------------------------------------------------------------------------------------------

Result<StepIndex> Inspector::step_named(const Known& chain, const ChainId& id, const std::string& step) {
  const auto program = chain.program();
  if (!program) {
    if (chain.package_error) return fail(*chain.package_error);
    return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", id.value));
  }
  return named_step(*program, id, step);
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
  if (ask.epoch != 0 && (ask.what == ValueOf::item || ask.what == ValueOf::task_arguments))
    return fail(Code::usage, "values of items, and arguments, are kept as they are now: leave out the epoch");
  const auto chain = known(ask.chain, ask.epoch);
  if (!chain) return fail(chain.error());
  const auto& state = chain->state();
  switch (ask.what) {
    case ValueOf::arguments: return piece_of(state.arguments, ask.piece);
    case ValueOf::context: return piece_of(state.context, ask.piece);
    case ValueOf::response: return piece_of(state.response, ask.piece);
    case ValueOf::step:
    case ValueOf::item:
    case ValueOf::task_arguments: break;
  }
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& visit = state.steps[*step];
  if (ask.what == ValueOf::task_arguments) {
    const auto arguments = arguments_of(*chain, ask.chain, *step, visit.fan_out ? std::optional{ask.item} : std::nullopt);
    return arguments ? slice_of(arguments->text, ask.piece) : Result<ValuePiece>{fail(arguments.error())};
  }
  if (ask.what == ValueOf::step || !visit.fan_out) return piece_of(visit.response, ask.piece);
  const auto payload = storage::load_item(kv_, ask.chain, {*step, visit.visit}, ask.item);
  if (!payload) return fail(payload.error());
  if (!*payload) return piece_of({}, ask.piece);
  auto record = storage::decode_item(**payload);
  if (!record) return fail(std::move(record).error());
  if (!record->ok) return piece_of({}, ask.piece);
  return piece_of({std::move(record->text), std::move(record->blob), 0}, ask.piece);
}

}  // namespace catena::coordinator
