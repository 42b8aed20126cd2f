#pragma once
// What may be asked about chains and files, and the answers: plain structs, the same for a command beside the store, for a client of a
// cluster and for whoever shows them in another form. No member names a key of the store, and nothing is formatted for a terminal. Each
// answer is a page of bounded size that says how to ask for the next one.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/file_calls.hpp"
#include "base/codec.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/fields.hpp"
#include "engine/phase.hpp"

namespace catena::engine {
[[nodiscard]] constexpr std::uint32_t count_of(ChainStatus) { return static_cast<std::uint32_t>(kChainStatusNames.size()); }
[[nodiscard]] constexpr std::uint32_t count_of(VisitStatus) { return static_cast<std::uint32_t>(kVisitStatusNames.size()); }
}  // namespace catena::engine

namespace catena::coordinator {

/// Rows of one page: a question for more, or for no number of them, gets so many.
inline constexpr std::uint32_t kPageRowsMax = 1000;
/// Bytes of the texts in one page, unless a single row has more.
inline constexpr std::size_t kPageBytesMax = 256UL << 10U;

// ---- chains ---------------------------------------------------------------------------------------------------------

/// A chain as the index knows it.
struct ListedChain {
  ChainId id = {};
  std::string name = {};
  engine::ChainStatus status = engine::ChainStatus::pending;
  ChainId parent = {};  // empty: somebody submitted it
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;  // 0: not finished
  std::uint32_t steps = 0;
  std::uint32_t steps_settled = 0;
};
struct ChainPage {
  static constexpr std::string_view kKind = "chains";
  std::vector<ListedChain> chains = {};
  std::string cursor = {};  // for the next page, which may be empty all the same; empty: there is none
};
/// Newest first.
struct ListChains {
  using Answer = ChainPage;
  static constexpr std::string_view kKind = "list_chains";
  std::vector<engine::ChainStatus> statuses = {};  // empty: all
  std::optional<ChainId> parent = {};              // only the children of this chain; an empty id: only chains that somebody submitted
  ChainId below = {};                              // only descendants of this chain; empty: all
  std::uint32_t limit = 0;
  std::string cursor = {};  // of the page before
};

/// A JSON value of a chain. Large ones are read in pieces (ReadValue).
struct ShownValue {
  std::string text = {};    // empty: there is none, or it is too large
  std::uint64_t bytes = 0;  // 0: there is none
  [[nodiscard]] bool is_whole() const { return text.size() == bytes; }
};
struct ChainDescription {
  static constexpr std::string_view kKind = "chain";
  ChainId chain = {};
  engine::ChainStatus status = engine::ChainStatus::pending;
  std::string definition = {};
  std::string package = {};  // the hash of what it pinned
  ChainId parent = {};
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;
  UnixMillis now = 0;  // of the clock that the other times are by
  std::uint32_t steps = 0;
  std::uint32_t steps_settled = 0;
  std::optional<Error> error = {};
  std::optional<Error> package_error = {};  // why its definitions cannot be read: steps have numbers for names then
  ShownValue arguments = {};
  ShownValue context = {};
  ShownValue response = {};
};
/// Error: chain_not_found, with the nearest id there is; so of all questions about a chain.
struct DescribeChain {
  using Answer = ChainDescription;
  static constexpr std::string_view kKind = "describe_chain";
  ChainId chain = {};
};

struct StepRow {
  std::string id = {};
  engine::VisitStatus status = engine::VisitStatus::blocked;
  Visit visit = 0;  // 0: never entered
  bool fan_out = false;
  std::uint32_t items = 0;
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
  UnixMillis entered_at = 0;
  UnixMillis settled_at = 0;
  std::optional<Error> error = {};
};
struct StepPage {
  static constexpr std::string_view kKind = "steps";
  std::vector<StepRow> steps = {};
  StepIndex next = 0;  // 0: these were the last
};
/// In the order of the definition.
struct ListSteps {
  using Answer = StepPage;
  static constexpr std::string_view kKind = "list_steps";
  ChainId chain = {};
  StepIndex from = 0;
};

struct StepAttempts {
  StepIndex step = 0;
  std::int64_t attempts = 0;  // less than 0: what an earlier part of the history granted was given back
};
struct AttemptCounts {
  static constexpr std::string_view kKind = "attempts";
  std::vector<StepAttempts> steps = {};  // those with any
  Sequence next = 0;                     // 0: the history is over
};
/// Attempts that a part of the history granted: the sum over all parts is what a step has used.
struct CountAttempts {
  using Answer = AttemptCounts;
  static constexpr std::string_view kKind = "count_attempts";
  ChainId chain = {};
  Sequence from = 1;
};

struct HistoryEvent {
  Sequence sequence = 0;
  UnixMillis at = 0;
  std::string text = {};  // in words
  std::string json = {};  // all that it says, as an object; empty: not asked for
};
struct HistoryPage {
  static constexpr std::string_view kKind = "history";
  std::vector<HistoryEvent> events = {};
  Sequence next = 0;  // 0: these were the last
};
struct ReadHistory {
  using Answer = HistoryPage;
  static constexpr std::string_view kKind = "read_history";
  ChainId chain = {};
  Sequence from = 1;
  std::uint32_t limit = 0;
  bool in_full = false;  // with the JSON of each event
};

enum class ValueOf : std::uint8_t { arguments, context, response, step, item };
[[nodiscard]] constexpr std::uint32_t count_of(ValueOf) { return static_cast<std::uint32_t>(ValueOf::item) + 1; }
struct ValuePiece {
  static constexpr std::string_view kKind = "value_piece";
  std::string text = {};
  std::uint32_t next = 0;  // 0: this was the last
  bool exists = true;
};
/// JSON text in pieces that may end anywhere, also within a character.
struct ReadValue {
  using Answer = ValuePiece;
  static constexpr std::string_view kKind = "read_value";
  ChainId chain = {};
  ValueOf what = ValueOf::response;
  std::string step = {};  // of `step` and `item`: its latest visit
  ItemIndex item = 0;     // of `item`
  std::uint32_t piece = 0;
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
};
struct ItemPage {
  static constexpr std::string_view kKind = "items";
  Visit visit = 0;
  std::uint32_t width = 0;
  std::vector<ItemRow> items = {};
  ItemIndex next = 0;  // 0: these were the last
};
/// Items of a step's latest visit; a step that is no fan-out has one. Error: usage, for a step that the chain does not have.
struct ListItems {
  using Answer = ItemPage;
  static constexpr std::string_view kKind = "list_items";
  ChainId chain = {};
  std::string step = {};
  ItemIndex from = 0;
  std::uint32_t limit = 0;
};

enum class WaitKind : std::uint8_t {
  paused,         // for a person
  cancelling,     // what runs is being stopped
  failing,        // what runs ends first: `error` says why the chain fails
  steps,          // `step` for `steps`
  in_doubt,       // `item` of `step`: its attempt was lost, a person says what became of it
  retry,          // `item` of `step`: its next attempt is due at `at`
  more_retries,   // `count` more items of `step`
  more_in_doubt,  // the same
  attempts,       // `count` attempts of `step` run at `worker` since `at`
};
[[nodiscard]] constexpr std::uint32_t count_of(WaitKind) { return static_cast<std::uint32_t>(WaitKind::attempts) + 1; }
struct Wait {
  WaitKind kind = WaitKind::paused;
  std::string step = {};
  std::optional<ItemIndex> item = {};  // of a fan-out
  std::vector<std::string> steps = {};
  std::uint64_t count = 0;
  WorkerId worker = {};
  UnixMillis at = 0;
  std::optional<Error> error = {};
};
/// Who moves a chain next.
enum class MovedBy : std::uint8_t { nobody, itself, children, person };
[[nodiscard]] constexpr std::uint32_t count_of(MovedBy) { return static_cast<std::uint32_t>(MovedBy::person) + 1; }
/// STEP, or STEP/ITEM of a fan-out.
struct TaskName {
  std::string step = {};
  std::optional<ItemIndex> item = {};
};
struct ChainWaits {
  static constexpr std::string_view kKind = "waits";
  UnixMillis now = 0;
  std::vector<Wait> waits = {};  // the first of them
  MovedBy moved_by = MovedBy::nobody;
  std::vector<TaskName> in_doubt = {};  // the first of them
};
/// What a chain that has not ended waits for, as its records tell.
struct AskWaits {
  using Answer = ChainWaits;
  static constexpr std::string_view kKind = "ask_waits";
  ChainId chain = {};
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

// ---- files ----------------------------------------------------------------------------------------------------------

struct FoundFile {
  static constexpr std::string_view kKind = "found_file";
  std::optional<lang::FileVersion> file = {};  // the latest
  bool removed = false;                        // there was one
};
struct FindFile {
  using Answer = FoundFile;
  static constexpr std::string_view kKind = "find_file";
  std::string path = {};
};
struct FilePage {
  static constexpr std::string_view kKind = "files";
  std::vector<std::string> directories = {};  // paths; they come before the files
  std::vector<lang::FileVersion> files = {};
  std::string cursor = {};  // empty: these were the last
};
/// The file of that path, and the directories and files in it; all files below it where `recursive` is set.
struct ListFiles {
  using Answer = FilePage;
  static constexpr std::string_view kKind = "list_files";
  std::string path{"/"};
  bool recursive = false;
  std::uint32_t limit = 0;
  std::string cursor = {};
};
/// Newest first; also those of a removed file. Error: file_not_found.
struct ListFileVersions {
  using Answer = FilePage;
  static constexpr std::string_view kKind = "list_file_versions";
  std::string path = {};
  std::uint32_t limit = 0;
  std::string cursor = {};
};
struct FilePiece {
  static constexpr std::string_view kKind = "file_piece";
  std::string version_id = {};  // to be asked for in the next piece: the latest may be another by then
  std::string content = {};
  std::uint32_t next = 0;  // 0: this was the last
};
/// The content of a version in pieces. Errors: file_not_found, file_version_not_found, with what may have been meant.
struct ReadFile {
  using Answer = FilePiece;
  static constexpr std::string_view kKind = "read_file";
  std::string path = {};
  std::string version_id = {};  // empty: the latest
  std::uint32_t piece = 0;
};

using Question = std::variant<ListChains, DescribeChain, ListSteps, CountAttempts, ReadHistory, ReadValue, ListItems, AskWaits, FindTask, FindFile,
                              ListFiles, ListFileVersions, ReadFile>;
using Answer = std::variant<ChainPage, ChainDescription, StepPage, AttemptCounts, HistoryPage, ValuePiece, ItemPage, ChainWaits, FoundTask, FoundFile,
                            FilePage, FilePiece>;

template <class Q>
concept Asks = requires {
  typename Q::Answer;
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, ListedChain& x) {
  v("id", x.id), v("name", x.name), v("status", x.status), v("parent", x.parent), v("started_at", x.started_at), v("finished_at", x.finished_at),
      v("steps", x.steps), v("steps_settled", x.steps_settled);
}
template <class V>
void fields(V& v, ChainPage& x) {
  v("chains", x.chains), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ListChains& x) {
  v("statuses", x.statuses), v("parent", x.parent), v("below", x.below), v("limit", x.limit), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ShownValue& x) {
  v("text", x.text), v("bytes", x.bytes);
}
template <class V>
void fields(V& v, ChainDescription& x) {
  v("chain", x.chain), v("status", x.status), v("definition", x.definition), v("package", x.package), v("parent", x.parent),
      v("started_at", x.started_at), v("finished_at", x.finished_at), v("now", x.now), v("steps", x.steps), v("steps_settled", x.steps_settled),
      v("error", x.error), v("package_error", x.package_error), v("arguments", x.arguments), v("context", x.context), v("response", x.response);
}
template <class V>
void fields(V& v, DescribeChain& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, StepRow& x) {
  v("id", x.id), v("status", x.status), v("visit", x.visit), v("fan_out", x.fan_out), v("items", x.items), v("ok", x.ok), v("failed", x.failed),
      v("entered_at", x.entered_at), v("settled_at", x.settled_at), v("error", x.error);
}
template <class V>
void fields(V& v, StepPage& x) {
  v("steps", x.steps), v("next", x.next);
}
template <class V>
void fields(V& v, ListSteps& x) {
  v("chain", x.chain), v("first", x.from);
}
template <class V>
void fields(V& v, StepAttempts& x) {
  v("step", x.step), v("attempts", x.attempts);
}
template <class V>
void fields(V& v, AttemptCounts& x) {
  v("steps", x.steps), v("next", x.next);
}
template <class V>
void fields(V& v, CountAttempts& x) {
  v("chain", x.chain), v("sequence", x.from);
}
template <class V>
void fields(V& v, HistoryEvent& x) {
  v("sequence", x.sequence), v("at", x.at), v("text", x.text), v("json", x.json);
}
template <class V>
void fields(V& v, HistoryPage& x) {
  v("events", x.events), v("next", x.next);
}
template <class V>
void fields(V& v, ReadHistory& x) {
  v("chain", x.chain), v("sequence", x.from), v("limit", x.limit), v("in_full", x.in_full);
}
template <class V>
void fields(V& v, ValuePiece& x) {
  v("text", x.text), v("next", x.next), v("exists", x.exists);
}
template <class V>
void fields(V& v, ReadValue& x) {
  v("chain", x.chain), v("what", x.what), v("step", x.step), v("item", x.item), v("piece", x.piece);
}
template <class V>
void fields(V& v, ItemRow& x) {
  v("item", x.item), v("status", x.status), v("failed_attempts", x.failed_attempts), v("response", x.response), v("error", x.error);
}
template <class V>
void fields(V& v, ItemPage& x) {
  v("visit", x.visit), v("width", x.width), v("items", x.items), v("next", x.next);
}
template <class V>
void fields(V& v, ListItems& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.from), v("limit", x.limit);
}
template <class V>
void fields(V& v, Wait& x) {
  v("kind", x.kind), v("step", x.step), v("item", x.item), v("steps", x.steps), v("count", x.count), v("worker", x.worker), v("at", x.at),
      v("error", x.error);
}
template <class V>
void fields(V& v, TaskName& x) {
  v("step", x.step), v("item", x.item);
}
template <class V>
void fields(V& v, ChainWaits& x) {
  v("now", x.now), v("waits", x.waits), v("moved_by", x.moved_by), v("in_doubt", x.in_doubt);
}
template <class V>
void fields(V& v, AskWaits& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, FoundTask& x) {
  v("visit", x.visit), v("item", x.item), v("fan_out", x.fan_out), v("in_doubt", x.in_doubt);
}
template <class V>
void fields(V& v, FindTask& x) {
  v("chain", x.chain), v("task", x.task), v("response", x.response);
}
template <class V>
void fields(V& v, FoundFile& x) {
  v("file", x.file), v("removed", x.removed);
}
template <class V>
void fields(V& v, FindFile& x) {
  v("path", x.path);
}
template <class V>
void fields(V& v, FilePage& x) {
  v("directories", x.directories), v("files", x.files), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ListFiles& x) {
  v("path", x.path), v("recursive", x.recursive), v("limit", x.limit), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ListFileVersions& x) {
  v("path", x.path), v("limit", x.limit), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, FilePiece& x) {
  v("version_id", x.version_id), v("content", x.content), v("next", x.next);
}
template <class V>
void fields(V& v, ReadFile& x) {
  v("path", x.path), v("version_id", x.version_id), v("piece", x.piece);
}

}  // namespace catena::coordinator
