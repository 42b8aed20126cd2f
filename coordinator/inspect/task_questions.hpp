#pragma once
// What may be asked about the tasks of a step: its items, what became of each, and why. A part of questions.hpp.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/time.hpp"
#include "coordinator/inspect/page.hpp"
#include "coordinator/inspect/said.hpp"
#include "engine/phase.hpp"

namespace catena::engine {
[[nodiscard]] constexpr std::uint32_t count_of(VisitStatus) { return static_cast<std::uint32_t>(kVisitStatusNames.size()); }
}  // namespace catena::engine

namespace catena::coordinator {

/// STEP, or STEP/ITEM of a fan-out.
struct TaskName {
  std::string step = {};
  std::optional<ItemIndex> item = {};
};
enum class ItemStatus : std::uint8_t { queued, running, waiting, in_doubt, succeeded, failed, not_needed };
inline constexpr std::array kItemStatusNames{std::string_view{"queued"},    std::string_view{"running"},   std::string_view{"waiting"},
                                             std::string_view{"in_doubt"},  std::string_view{"succeeded"}, std::string_view{"failed"},
                                             std::string_view{"not_needed"}};
[[nodiscard]] constexpr std::uint32_t count_of(ItemStatus) { return static_cast<std::uint32_t>(kItemStatusNames.size()); }
[[nodiscard]] constexpr std::string_view name(ItemStatus status) { return kItemStatusNames[static_cast<std::size_t>(status)]; }
struct ItemRow {
  ItemIndex item = 0;
  ItemStatus status = ItemStatus::queued;
  std::uint32_t failed_attempts = 0;  // that count against the retry policy
  std::string response = {};          // of one that succeeded; empty: too large, see ReadValue
  std::optional<Error> error = {};
  std::optional<SaidOfTask> said = {};  // of one that runs or waits for another attempt
  ShownValue value = {};                // of a fan-out: what this item is, where somebody asks for values; of a large one its beginning
};
struct ItemPage {
  static constexpr std::string_view kKind = "items";
  Visit visit = 0;
  std::uint32_t width = 0;
  std::vector<ItemRow> items = {};
  ItemIndex next = 0;  // 0: these were the last
};
/// Bytes of an item's value in a row.
inline constexpr std::size_t kItemValueBytesMax = 500;
/// Items of a step's latest visit; a step that is no fan-out has one. Error: usage, for a step that the chain does not have.
struct ListItems {
  using Answer = ItemPage;
  static constexpr std::string_view kKind = "list_items";
  ChainId chain = {};
  std::string step = {};
  ItemIndex from = 0;
  std::uint32_t limit = 0;
  std::vector<ItemStatus> statuses = {};  // empty: all
  bool with_values = false;
};

/// Neighbouring items of one status.
struct ItemRun {
  ItemStatus status = ItemStatus::queued;
  ItemIndex first = 0;
  std::uint32_t count = 0;
};
/// Runs of one answer: those of a million items of which a thousand failed are one, and less than 64 KiB of JSON.
inline constexpr std::size_t kItemRunsMax = 2200;
struct ItemStates {
  static constexpr std::string_view kKind = "item_states";
  Visit visit = 0;
  std::uint32_t width = 0;
  std::vector<ItemRun> runs = {};
  ItemIndex next = 0;  // 0: these were the last
};
/// The status of every item of a step's latest visit, without reading what became of any. Error: usage, for a step that the chain does not have.
struct AskItemStates {
  using Answer = ItemStates;
  static constexpr std::string_view kKind = "ask_item_states";
  ChainId chain = {};
  std::string step = {};
  ItemIndex from = 0;
};

/// Items that failed alike: with the same code and, numbers aside, the same message.
struct ErrorGroup {
  std::uint32_t count = 0;
  ItemIndex first = 0;
  Error error = {};       // of the first of them, without its details
  std::string kind = {};  // what they have in common: the same for the same group of another part
  IndexSet items = {};    // which they are: the first of them, where they come in many runs
};
/// Runs of neighbours that a group names.
inline constexpr std::size_t kErrorGroupRunsMax = 500;
/// Groups of one answer; the errors of all others are counted together.
inline constexpr std::size_t kErrorGroupsMax = 20;
struct ErrorGroups {
  static constexpr std::string_view kKind = "error_groups";
  std::vector<ErrorGroup> groups = {};
  std::uint32_t others = 0;
  ItemIndex next = 0;  // 0: all failed items are counted
};
/// How the items of a step's latest visit failed, from an item on: a part of them, where there are many.
struct GroupErrors {
  using Answer = ErrorGroups;
  static constexpr std::string_view kKind = "group_errors";
  ChainId chain = {};
  std::string step = {};
  ItemIndex from = 0;
};

/// All that the records say of one task.
struct TaskDescription {
  static constexpr std::string_view kKind = "task_description";
  std::string step = {};
  std::optional<ItemIndex> item = {};                         // of a fan-out
  engine::VisitStatus status = engine::VisitStatus::blocked;  // of the step
  std::optional<ItemStatus> item_status = {};                 // of the task; nothing: a fan-out of which no item was named, or never entered
  Visit visit = 0;                                            // 0: never entered
  bool fan_out = false;
  std::uint32_t items = 0;  // of a fan-out
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
  std::string calls = {};  // the tool or the definition
  std::string endpoint = {};
  ChainId child = {};  // the chain that runs for it, where it calls a composite
  UnixMillis entered_at = 0;
  UnixMillis settled_at = 0;
  UnixMillis now = 0;
  UnixMillis retry_at = 0;  // its next attempt is due then; 0: it does not wait for one
  std::optional<Error> error = {};
  std::optional<Error> arguments_error = {};  // why there are none
  ShownValue arguments = {};                  // as the tool gets them; of a fan-out without an item, those that all items share
  ShownValue value = {};                      // what the item is
  ShownValue response = {};
  std::optional<SaidOfTask> said = {};  // by its attempts
};
/// Errors: usage, for a step or an item that the chain does not have.
struct DescribeTask {
  using Answer = TaskDescription;
  static constexpr std::string_view kKind = "describe_task";
  ChainId chain = {};
  TaskName task = {};
};

enum class AttemptEvent : std::uint8_t { granted, succeeded, failed, lost, cancelled, postponed, given_back };
inline constexpr std::array kAttemptEventNames{std::string_view{"granted"},   std::string_view{"succeeded"}, std::string_view{"failed"},
                                               std::string_view{"lost"},      std::string_view{"cancelled"}, std::string_view{"postponed"},
                                               std::string_view{"given_back"}};
[[nodiscard]] constexpr std::uint32_t count_of(AttemptEvent) { return static_cast<std::uint32_t>(kAttemptEventNames.size()); }
[[nodiscard]] constexpr std::string_view name(AttemptEvent event) { return kAttemptEventNames[static_cast<std::size_t>(event)]; }
/// The begin or the end of an attempt. Those of one attempt have the same grant, and the begin comes first.
struct AttemptRow {
  Sequence sequence = 0;
  AttemptEvent event = AttemptEvent::granted;
  GrantId grant = 0;  // 0: no attempt; a person said so
  Visit visit = 0;
  WorkerId worker = {};  // of a begin
  UnixMillis at = 0;
  std::optional<Error> error = {};         // of an end
  std::optional<ItemIndex> error_of = {};  // whose error it is, where several ended alike and the journal has that of the first
};
struct AttemptPage {
  static constexpr std::string_view kKind = "attempt_rows";
  std::vector<AttemptRow> rows = {};
  Sequence next = 0;  // 0: the history is over
};
/// The attempts of one task, over all visits of its step, from a place of the history on.
struct ListAttempts {
  using Answer = AttemptPage;
  static constexpr std::string_view kKind = "list_attempts";
  ChainId chain = {};
  TaskName task = {};
  Sequence from = 1;
};

struct FoundTask {
  static constexpr std::string_view kKind = "task";
  VisitId visit = {};
  ItemIndex item = 0;
  bool fan_out = false;
  IndexSet in_doubt = {};  // all items of the step that are; of a plain step 0
};
/// The task in doubt, or of a fan-out whether there is one, that a person means, and whether `response` would do for it. Errors: usage, chain_state,
/// and those of a response that does not fit its step.
struct FindTask {
  using Answer = FoundTask;
  static constexpr std::string_view kKind = "find_task";
  ChainId chain = {};
  TaskName task = {};
  std::optional<std::string> response = {};  // JSON
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, TaskName& x) {
  v("step", x.step), v("item", x.item);
}
template <class V>
void fields(V& v, ItemRow& x) {
  v("item", x.item), v("status", x.status), v("failed_attempts", x.failed_attempts), v("response", x.response), v("error", x.error),
      v("value", x.value), v("said", x.said);
}
template <class V>
void fields(V& v, ItemPage& x) {
  v("visit", x.visit), v("width", x.width), v("items", x.items), v("next", x.next);
}
template <class V>
void fields(V& v, ListItems& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.from), v("limit", x.limit), v("statuses", x.statuses), v("with_values", x.with_values);
}
template <class V>
void fields(V& v, ItemRun& x) {
  v("status", x.status), v("item", x.first), v("count", x.count);
}
template <class V>
void fields(V& v, ItemStates& x) {
  v("visit", x.visit), v("width", x.width), v("runs", x.runs), v("next", x.next);
}
template <class V>
void fields(V& v, AskItemStates& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.from);
}
template <class V>
void fields(V& v, ErrorGroup& x) {
  v("count", x.count), v("item", x.first), v("error", x.error), v("kind", x.kind), v("items", x.items);
}
template <class V>
void fields(V& v, ErrorGroups& x) {
  v("groups", x.groups), v("others", x.others), v("next", x.next);
}
template <class V>
void fields(V& v, GroupErrors& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.from);
}
template <class V>
void fields(V& v, TaskDescription& x) {
  v("step", x.step), v("item", x.item), v("status", x.status), v("item_status", x.item_status), v("visit", x.visit), v("fan_out", x.fan_out),
      v("items", x.items), v("ok", x.ok), v("failed", x.failed), v("calls", x.calls), v("endpoint", x.endpoint), v("child", x.child),
      v("entered_at", x.entered_at), v("settled_at", x.settled_at), v("now", x.now), v("retry_at", x.retry_at), v("error", x.error),
      v("arguments_error", x.arguments_error), v("arguments", x.arguments), v("value", x.value), v("response", x.response), v("said", x.said);
}
template <class V>
void fields(V& v, DescribeTask& x) {
  v("chain", x.chain), v("task", x.task);
}
template <class V>
void fields(V& v, AttemptRow& x) {
  v("sequence", x.sequence), v("event", x.event), v("grant", x.grant), v("visit", x.visit), v("worker", x.worker), v("at", x.at), v("error", x.error),
      v("error_of", x.error_of);
}
template <class V>
void fields(V& v, AttemptPage& x) {
  v("rows", x.rows), v("next", x.next);
}
template <class V>
void fields(V& v, ListAttempts& x) {
  v("chain", x.chain), v("task", x.task), v("sequence", x.from);
}
template <class V>
void fields(V& v, FoundTask& x) {
  v("visit", x.visit), v("item", x.item), v("fan_out", x.fan_out), v("in_doubt", x.in_doubt);
}
template <class V>
void fields(V& v, FindTask& x) {
  v("chain", x.chain), v("task", x.task), v("response", x.response);
}

}  // namespace catena::coordinator
