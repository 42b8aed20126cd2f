// The tasks of a step: what became of each item, why, and what its tool was given.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "base/cut_text.hpp"
#include "base/limits.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/fork_sources.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/inspect/item_status.hpp"
#include "coordinator/inspect/timeline.hpp"
#include "coordinator/step_actor.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/step_traits.hpp"

namespace catena::coordinator {

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

namespace {

/// Messages of one kind differ in numbers more than in anything else: ports, sizes, items.
std::string kind_of(const Error& error) {
  constexpr std::size_t kMessageBytesCompared = 300;
  std::string kind{name(error.code)};
  kind += ' ';
  for (const char c : cut_text(error.message, kMessageBytesCompared)) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) kind += c;
    if (digit && kind.back() != '#') kind += '#';
  }
  return kind;
}

/// How many groups are told apart while they are counted; the largest are told.
constexpr std::size_t kErrorKindsMax = 1000;

/// Counts errors by their kind.
class Grouping {
 public:
  void add(ItemIndex item, Error error) {
    const auto kind = kind_of(error);
    if (const auto known = groups_.find(kind); known != groups_.end()) {
      ++known->second.count;
      name_item(known->second, item);
    } else if (groups_.size() < kErrorKindsMax) {
      error.details = nullptr;
      error.cause.reset();
      groups_.emplace(kind, ErrorGroup{1, item, std::move(error), kind, IndexSet::one(item)});
    } else {
      ++others_;
    }
  }
  void tell(ErrorGroups& into) && {
    for (auto& [kind, group] : groups_) into.groups.push_back(std::move(group));
    std::ranges::stable_sort(into.groups, [](const ErrorGroup& a, const ErrorGroup& b) {
      return std::pair{b.count, a.first} < std::pair{a.count, b.first};
    });
    into.others = others_;
    while (into.groups.size() > kErrorGroupsMax) {
      into.others += into.groups.back().count;
      into.groups.pop_back();
    }
  }

 private:
  /// Items come in order, so those that are named are the first.
  static void name_item(ErrorGroup& group, ItemIndex item) {
    const auto runs = group.items.ranges();
    if (group.items.size() + 1 == group.count && (runs.size() < kErrorGroupRunsMax || runs.back().last == item)) group.items.insert(item);
  }

  std::map<std::string, ErrorGroup> groups_;
  std::uint32_t others_ = 0;
};

Result<Error> error_in(std::string_view payload) {
  auto record = storage::decode_item(payload);
  if (!record) return fail(std::move(record).error());
  return error_from_json(Json::parse(record->text, nullptr, false));
}

Result<std::string> input_record(const storage::Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  const auto chunk = storage::load_inputs(kv, chain, visit, item / kItemsPerChunk);
  if (!chunk) return fail(chunk.error());
  const auto found = *chunk ? lang::JsonView{**chunk}.at(item % kItemsPerChunk) : std::nullopt;
  if (!found) return fail(Code::storage_corrupt, fmt::format("the input records of chain '{}' have no item {}", chain.value, item));
  return std::string{found->text()};
}

/// What the item is, without what transforms have set beside it.
std::string_view value_in(const lang::Step& step, std::string_view record) {
  if (!lang::items_vary(step)) return record;
  const auto item = lang::JsonView{record}.find("item");
  return item ? item->text() : record;
}

ShownValue beginning_of(std::string_view value) { return {std::string{cut_text(value, kItemValueBytesMax)}, value.size()}; }

ShownValue shown_text(const std::string& text) { return {text.size() <= kPageBytesMax / 4 ? text : std::string{}, text.size()}; }

}  // namespace

Result<ItemRow> Inspector::item_row(const ListItems& ask, const engine::ChainState& state, StepIndex step, ItemIndex item) const {
  const auto& visit = state.steps[step];
  ItemRow row;
  row.item = item;
  row.status = status_of_item(state, step, item);
  if (const auto tries = visit.tries.find(item); tries != visit.tries.end()) row.failed_attempts = tries->second.failed;
  if (row.status == ItemStatus::running || row.status == ItemStatus::waiting) {
    auto said = said_of(kv_, ask.chain, {step, visit.visit}, item);
    if (!said) return fail(std::move(said).error());
    row.said = std::move(*said);
  }
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
  const auto& state = chain->state();
  const auto& visit = state.steps[*step];
  const auto program = chain->program();
  ItemPage page;
  page.visit = visit.visit;
  page.width = visit.fan_out ? visit.width : visit.visit == 0 ? 0 : 1;
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  const auto rows = page_rows(ask.limit);
  for (ItemIndex item = ask.from; item < page.width; ++item) {
    if (page.items.size() == rows || bytes > kPageBytesMax || looked_at++ == kItemsLookedAtMax) {
      page.next = item;
      break;
    }
    if (!ask.statuses.empty() && std::ranges::find(ask.statuses, status_of_item(state, *step, item)) == ask.statuses.end()) continue;
    auto row = item_row(ask, state, *step, item);
    if (!row) return fail(std::move(row).error());
    if (ask.with_values && visit.fan_out) {
      const auto record = input_record(kv_, ask.chain, {*step, visit.visit}, item);
      if (!record) return fail(record.error());
      row->value = beginning_of(value_in(program->steps[*step], *record));
    }
    bytes += row->response.size() + row->value.text.size() + (row->error ? to_json_text(*row->error).size() : 0);
    page.items.push_back(std::move(*row));
  }
  return page;
}

Result<ItemStates> Inspector::answer(const AskItemStates& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& state = chain->state();
  const auto& visit = state.steps[*step];
  ItemStates states;
  states.visit = visit.visit;
  states.width = visit.fan_out ? visit.width : visit.visit == 0 ? 0 : 1;
  for (ItemIndex item = ask.from; item < states.width; ++item) {
    const auto status = status_of_item(state, *step, item);
    if (!states.runs.empty() && states.runs.back().status == status) {
      ++states.runs.back().count;
      continue;
    }
    if (states.runs.size() == kItemRunsMax) {
      states.next = item;
      break;
    }
    states.runs.push_back({status, item, 1});
  }
  return states;
}

Result<ErrorGroups> Inspector::answer(const GroupErrors& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& visit = chain->state().steps[*step];
  ErrorGroups told;
  Grouping grouping;
  std::uint32_t read = 0;
  std::uint32_t looked_at = 0;
  for (ItemIndex item = ask.from; visit.fan_out && item < visit.width; ++item) {
    if (read == kErrorsGroupedMax || looked_at++ == kItemsLookedAtMax) {
      told.next = item;
      break;
    }
    if (!visit.bad.test(item)) continue;
    ++read;
    const auto payload = storage::load_item(kv_, ask.chain, {*step, visit.visit}, item);
    if (!payload) return fail(payload.error());
    if (!*payload) continue;
    auto error = error_in(**payload);
    if (!error) return fail(std::move(error).error());
    grouping.add(item, std::move(*error));
  }
  std::move(grouping).tell(told);
  return told;
}

// ---- one task -----------------------------------------------------------------------------------------------------------------

Result<lang::JsonText> Inspector::arguments_of(const Known& chain, const ChainId& id, StepIndex index, std::optional<ItemIndex> item) const {
  const auto& visit = chain.state().steps[index];
  auto shared = read_payload(kv_, visit.arguments);
  if (!shared || !visit.fan_out || !item) return shared;
  const auto program = chain.program();
  const auto& step = program->steps[index];
  const VisitId of{index, visit.visit};
  const auto record = input_record(kv_, id, of, *item);
  if (!record) return fail(record.error());
  if (!step.each->carries) return item_arguments(step, *shared, *record, kv_);
  lang::JsonText before;
  if (*item > 0) {
    auto response = read_item(kv_, id, of, *item - 1);
    if (!response) return response;
    before = std::move(*response);
  }
  return round_arguments(step, *shared, *record, before);
}

Result<TaskDescription> Inspector::answer(const DescribeTask& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto index = step_named(*chain, ask.chain, ask.task.step);
  if (!index) return fail(index.error());
  const auto& state = chain->state();
  const auto& visit = state.steps[*index];
  const auto program = chain->program();
  const auto& step = program->steps[*index];
  const bool of_item = ask.task.item.has_value();
  if (of_item && !step.each) return fail(Code::usage, fmt::format("step '{}' is no fan-out: it has no items", step.id));
  if (of_item && *ask.task.item >= visit.width) {
    return fail(Code::usage, fmt::format("step '{}' has no item {}: it has {} item{}", step.id, *ask.task.item, visit.width,
                                         visit.width == 1 ? "" : "s, the first is 0"));
  }
  TaskDescription told;
  told.step = step.id;
  told.item = ask.task.item;
  told.status = visit.status;
  told.visit = visit.visit;
  told.fan_out = step.each.has_value();
  told.items = visit.width;
  told.ok = visit.ok.count();
  told.failed = visit.bad.count();
  told.calls = tool_name(step);
  if (const auto* tool = std::get_if<lang::ToolCall>(&step.call)) told.endpoint = lang::endpoint_text(tool->endpoint);
  if (const auto* signal = lang::signal_of(step)) told.endpoint = "signal:" + signal->name;
  told.entered_at = visit.entered_at;
  told.settled_at = visit.settled_at;
  told.now = std::max(clock_.now(), state.last_at);
  told.error = visit.error;
  const bool entered = visit.visit != 0 && visit.entered_at != 0;
  if (!entered) return told;
  const bool single = of_item || !told.fan_out;
  const auto item = ask.task.item.value_or(0);
  if (single) {
    auto row = item_row({.chain = ask.chain, .step = step.id}, state, *index, item);
    if (!row) return fail(std::move(row).error());
    const bool waits = lang::signal_of(step) != nullptr && row->status == ItemStatus::queued;
    told.item_status = waits ? ItemStatus::waiting : row->status;
    if (row->error) told.error = std::move(row->error);
    auto said = said_of(kv_, ask.chain, {*index, visit.visit}, item);
    if (!said) return fail(std::move(said).error());
    told.said = std::move(*said);
    for (const auto& [due, waiting] : visit.waiting) {
      if (waiting == item) told.retry_at = due;
    }
    if (std::holds_alternative<lang::ProgramCall>(step.call)) {
      told.child = ChainId{task_key(ask.chain, step, {*index, visit.visit}, item)};
      if (!state.forked_from.get().source.empty()) {  // what had settled before belongs to the source
        const auto sources = fork_sources(kv_, ask.chain);
        if (!sources) return fail(sources.error());
        auto child = sources->child(kv_, ask.chain, step, {*index, visit.visit}, item);
        if (!child) return fail(std::move(child).error());
        if (*child) told.child = std::move(**child);
      }
    }
    if (of_item) told.response = shown_text(row->response);
    // One that is a blob: the ledger does not have its size.
    if (of_item && row->status == ItemStatus::succeeded && row->response.empty()) told.response.bytes = limits::kInlineValueBytesMax;
  }
  if (!of_item && !visit.response.empty())
    told.response = {visit.response.text.size() <= kPageBytesMax / 4 ? visit.response.text : "", visit.response.bytes};
  if (of_item) {
    const auto record = input_record(kv_, ask.chain, {*index, visit.visit}, item);
    if (!record) return fail(record.error());
    told.value = shown_text(std::string{value_in(step, *record)});
  }
  const auto arguments = arguments_of(*chain, ask.chain, *index, ask.task.item);
  if (arguments) {
    told.arguments = shown_text(arguments->text);
  } else {
    told.arguments_error = arguments.error();
  }
  return told;
}

namespace {

/// What an event says of the attempts of one item; nothing: it is about something else.
std::optional<AttemptRow> attempt_row(const engine::Event& event, StepIndex step, ItemIndex item) {
  if (const auto* granted = std::get_if<engine::Granted>(&event)) {
    if (granted->visit.step != step || !granted->items.contains(item)) return std::nullopt;
    return AttemptRow{.grant = granted->grant, .visit = granted->visit.visit, .worker = granted->worker, .at = granted->at};
  }
  if (const auto* ended = std::get_if<engine::AttemptsEnded>(&event)) {
    if (ended->visit.step != step || !ended->items.contains(item)) return std::nullopt;
    AttemptRow row{.event = attempt_end(*ended), .grant = ended->grant, .visit = ended->visit.visit, .at = ended->at, .error = ended->error};
    if (ended->items.size() > 1) row.error_of = ended->items.front();
    return row;
  }
  if (const auto* settled = std::get_if<engine::ItemsSettled>(&event)) {
    const bool bad = settled->bad.contains(item);
    if (settled->visit.step != step || (!bad && !settled->ok.contains(item))) return std::nullopt;
    AttemptRow row{
        .event = bad ? AttemptEvent::failed : AttemptEvent::succeeded, .grant = settled->grant, .visit = settled->visit.visit, .at = settled->at};
    if (bad) row.error = settled->error;
    if (bad && settled->bad.size() > 1) row.error_of = settled->bad.front();
    return row;
  }
  return std::nullopt;
}

}  // namespace

Result<AttemptPage> Inspector::answer(const ListAttempts& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto step = step_named(*chain, ask.chain, ask.task.step);
  if (!step) return fail(step.error());
  const auto item = ask.task.item.value_or(0);
  const auto& visit = chain->state().steps[*step];
  AttemptPage page;
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  Result<void> outcome;
  const auto add = [&](Sequence sequence, const engine::Event& event) {
    if (page.rows.size() == kPageRowsMax || bytes > kPageBytesMax || looked_at++ == kEventsCountedMax) {
      page.next = sequence;
      return false;
    }
    auto row = attempt_row(event, *step, item);
    if (!row) return true;
    row->sequence = sequence;
    // The ledger has the error of each item, the journal that of the first.
    const bool last = visit.fan_out && row->visit == visit.visit && visit.bad.test(item) && std::holds_alternative<engine::ItemsSettled>(event);
    if (last) {
      const auto payload = storage::load_item(kv_, ask.chain, {*step, visit.visit}, item);
      auto error = payload && *payload ? error_in(**payload) : Result<Error>{*row->error};
      if (error) row->error = std::move(*error);
      row->error_of.reset();
    }
    if (row->error) bytes += to_json_text(*row->error).size();
    page.rows.push_back(std::move(*row));
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, add, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  return page;
}

}  // namespace catena::coordinator
