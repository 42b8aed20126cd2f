#pragma once
// What may be asked about chains and files, and the answers: plain structs, the same for a command beside the store, for a client of a
// cluster and for whoever shows them in another form. No member names a key of the store, and nothing is formatted for a terminal. Each
// answer is a page of bounded size that says how to ask for the next one.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/chain_labels.hpp"
#include "base/codec.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "coordinator/inspect/approval_questions.hpp"
#include "coordinator/inspect/audit_questions.hpp"
#include "coordinator/inspect/diff_questions.hpp"
#include "coordinator/inspect/epoch_questions.hpp"
#include "coordinator/inspect/feed_questions.hpp"
#include "coordinator/inspect/file_questions.hpp"
#include "coordinator/inspect/fork_questions.hpp"
#include "coordinator/inspect/log_questions.hpp"
#include "coordinator/inspect/page.hpp"
#include "coordinator/inspect/picture_questions.hpp"
#include "coordinator/inspect/repair_questions.hpp"
#include "coordinator/inspect/schedule_questions.hpp"
#include "coordinator/inspect/task_questions.hpp"
#include "coordinator/inspect/webhook_questions.hpp"
#include "engine/fields.hpp"
#include "engine/phase.hpp"
#include "engine/reason.hpp"
#include "storage/access_tokens.hpp"

namespace catena::coordinator {

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
  std::optional<Error> error = {};  // of one that has failed: its code, and its message up to some length
  std::string context = {};         // JSON; empty: none, or too large for an index
  ChainLabels labels = {};
  UnixMillis deadline_at = 0;  // 0: none
};
struct ChainPage {
  static constexpr std::string_view kKind = "chains";
  std::vector<ListedChain> chains = {};
  std::uint64_t matched = 0;  // where they are only counted
  std::string cursor = {};    // for the next page, which may be empty all the same; empty: there is none
};
/// Newest first; descendants of a chain in the order of their ids.
struct ListChains {
  using Answer = ChainPage;
  static constexpr std::string_view kKind = "list_chains";
  std::vector<engine::ChainStatus> statuses = {};  // empty: all
  std::optional<ChainId> parent = {};              // only the children of this chain; an empty id: only chains that somebody submitted
  ChainId below = {};                              // only descendants of this chain; empty: all
  std::uint32_t limit = 0;
  std::string cursor = {};                          // of the page before
  std::string name = {};                            // of the definition, with `*` and `?` as patterns have them; empty: any
  UnixMillis since = 0;                             // only chains that started then or later; 0: all
  std::map<std::string, std::string> context = {};  // members that the context has, with their values as JSON
  bool only_count = false;                          // no rows, but how many there are
  std::map<std::string, std::string> labels = {};   // that the chain has: key to value, or to a pattern as `name` has it
};

struct StatusCount {
  engine::ChainStatus status = engine::ChainStatus::pending;
  std::uint64_t chains = 0;
};
struct FamilyCounts {
  static constexpr std::string_view kKind = "family_counts";
  std::vector<StatusCount> counts = {};  // those with any
  std::uint64_t steps = 0;
  std::uint64_t steps_settled = 0;
  std::string cursor = {};  // for the part that is not counted yet; empty: all are
};
/// Descendants of a chain, a part of them where there are many.
struct CountFamily {
  using Answer = FamilyCounts;
  static constexpr std::string_view kKind = "count_family";
  ChainId chain = {};
  std::string cursor = {};
};

struct ChainDescription {
  static constexpr std::string_view kKind = "chain";
  ChainId chain = {};
  engine::ChainStatus status = engine::ChainStatus::pending;
  std::string name = {};  // of the definition, as lists have it
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
  std::string cancel_reason = {};  // as somebody gave it
  std::string cancelled_by = {};   // who did; empty: nobody knows, or its deadline passed
  std::string pause_reason = {};   // the same, while it is paused
  std::string paused_by = {};
  UnixMillis paused_at = 0;
  bool paused_above = false;                  // the chain that started it is paused, and it with that one
  std::optional<std::int32_t> priority = {};  // that a person gave it since it was submitted
  Sequence last_event = 0;
  UnixMillis last_at = 0;  // of that event
  ChainLabels labels = {};
  std::string trace = {};  // that it has spans in now
  UnixMillis deadline_at = 0;
  ChainId forked_from = {};  // the chain that it shares its history with; empty: it began with its submission
  Sequence forked_at = 0;    // up to this event
};
/// Error: chain_not_found, with the nearest id there is; so of all questions about a chain.
struct DescribeChain {
  using Answer = ChainDescription;
  static constexpr std::string_view kKind = "describe_chain";
  ChainId chain = {};
  std::uint32_t epoch = 0;  // as it was at the end of this one, from 1 on; 0: as it is
};

struct FoundSubmission {
  static constexpr std::string_view kKind = "submission";
  ChainId chain = {};
  UnixMillis submitted_at = 0;
  UnixMillis expires_at = 0;  // the key: from then on it may be given to another submission
  bool removed = false;       // the chain
};
/// The chain that was submitted with a key: for a client that lost its answer. Error: chain_not_found.
struct FindSubmission {
  using Answer = FoundSubmission;
  static constexpr std::string_view kKind = "find_submission";
  std::string submission_key = {};
};

struct TokenRow {
  std::string id = {};
  std::string name = {};
  storage::TokenRole role = storage::TokenRole::viewer;
  UnixMillis created_at = 0;
  UnixMillis expires_at = 0;  // 0: never
  UnixMillis revoked_at = 0;  // 0: it was not
  storage::TokenRate rate = {};
  std::string namespace_ = {};  // whose chains it reaches; empty: all
};
struct TokenList {
  static constexpr std::string_view kKind = "tokens";
  std::vector<TokenRow> tokens = {};  // the oldest first; there are never more than a page has rows
};
/// Access tokens, without what is secret of them.
struct ListTokens {
  using Answer = TokenList;
  static constexpr std::string_view kKind = "list_tokens";
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
  engine::Terms terms = {};           // that a person gave it, in place of the definition's
  std::string signal = {};            // for which it waits now; empty: it does not
  std::uint32_t awaits_approval = 0;  // items of it that wait for a person; 1 of a plain step
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
  std::uint32_t epoch = 0;  // as they were at the end of this one; 0: as they are
};

struct StepAttempts {
  StepIndex step = 0;
  std::int64_t attempts = 0;  // less than 0: what an earlier part of the history granted was given back
};
struct AttemptCounts {
  static constexpr std::string_view kKind = "attempts";
  std::vector<StepAttempts> steps = {};  // those with any
  std::vector<EpochMark> marks = {};     // in the order of the history
  std::int64_t behind_marks = 0;         // attempts behind the last of them
  Sequence next = 0;                     // 0: the history is over
};
/// Attempts that a part of the history granted: the sum over all parts is what a step has used. And where the chain was opened and ended in it.
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
  std::string kind = {};  // "VisitEntered", …
  std::string step = {};  // empty: it is about the chain
  Visit visit = 0;
  bool fan_out = false;
  std::uint32_t items = 0;   // that it is about
  std::uint32_t failed = 0;  // of them, for good
  WorkerId worker = {};      // of a grant
  std::string problem = {};  // its error in words
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
  // Only events that fit all of these.
  std::string step = {};                // about this step; empty: any
  std::optional<ItemIndex> item = {};   // about this item of it
  std::vector<std::string> kinds = {};  // empty: any
  UnixMillis since = 0;                 // then or later
};

enum class ValueOf : std::uint8_t { arguments, context, response, step, item, task_arguments };
[[nodiscard]] constexpr std::uint32_t count_of(ValueOf) { return static_cast<std::uint32_t>(ValueOf::task_arguments) + 1; }
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
  std::string step = {};  // of `step`, `item` and `task_arguments`: its latest visit
  ItemIndex item = 0;     // of `item` and `task_arguments`
  std::uint32_t piece = 0;
  std::uint32_t epoch = 0;  // of responses and of what the chain began with: as they were at the end of this one; 0: as they are
};

/// Who moves a chain next.
enum class MovedBy : std::uint8_t { nobody, itself, children, person };
[[nodiscard]] constexpr std::uint32_t count_of(MovedBy) { return static_cast<std::uint32_t>(MovedBy::person) + 1; }
struct ChainWaits {
  static constexpr std::string_view kKind = "waits";
  UnixMillis now = 0;
  std::vector<engine::Reason> reasons = {};  // the first of them
  MovedBy moved_by = MovedBy::nobody;
  std::vector<TaskName> in_doubt = {};  // the first of them
  UnixMillis last_at = 0;               // when something happened last
  engine::ChainStatus status = engine::ChainStatus::pending;
  bool workers_decide = false;  // the scheduler may know more: see actors::AskExplain
};
/// Why a chain, a step of it or an item does not move, as its records tell. Errors: usage, for a step or an item that the chain does not have.
struct AskWaits {
  using Answer = ChainWaits;
  static constexpr std::string_view kKind = "ask_waits";
  ChainId chain = {};
  std::string step = {};               // empty: the chain
  std::optional<ItemIndex> item = {};  // of a fan-out
};

using Question = std::variant<ListChains, CountFamily, DescribeChain, ListSteps, CountAttempts, ReadHistory, ReadValue, ListItems, GroupErrors,
                              DescribeTask, ListAttempts, AskWaits, FindTask, ReadLogs, FindFile, ListFiles, ListFileVersions, ReadFile,
                              PreviewRepair, ReadFeed, FindSubmission, ListTokens, AskItemStates, ReadAudit, ReadWebhooks, ReadPinned, DrawChain,
                              AskTimeline, AskItemWork, ListSchedules, ReadSchedule, DiffChains, ListApprovals, PreviewFork>;
using Answer = std::variant<ChainPage, FamilyCounts, ChainDescription, StepPage, AttemptCounts, HistoryPage, ValuePiece, ItemPage, ErrorGroups,
                            TaskDescription, AttemptPage, ChainWaits, FoundTask, LogPage, FoundFile, FilePage, FilePiece, RepairPreview, FeedPage,
                            FoundSubmission, TokenList, ItemStates, AuditPage, WebhookPage, PinnedTexts, ChainGraph, Timeline, ItemWork, SchedulePage,
                            ScheduleTold, ChainDiff, ApprovalPage, ForkPreview>;

template <class Q>
concept Asks = requires {
  typename Q::Answer;
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, ListedChain& x) {
  v("id", x.id), v("name", x.name), v("status", x.status), v("parent", x.parent), v("started_at", x.started_at), v("finished_at", x.finished_at),
      v("steps", x.steps), v("steps_settled", x.steps_settled), v("error", x.error), v("context", x.context), v("labels", x.labels),
      v("deadline_at", x.deadline_at);
}
template <class V>
void fields(V& v, ChainPage& x) {
  v("chains", x.chains), v("cursor", x.cursor), v("matched", x.matched);
}
template <class V>
void fields(V& v, ListChains& x) {
  v("statuses", x.statuses), v("parent", x.parent), v("below", x.below), v("limit", x.limit), v("cursor", x.cursor), v("name", x.name),
      v("since", x.since), v("context", x.context), v("only_count", x.only_count), v("labels", x.labels);
}
template <class V>
void fields(V& v, StatusCount& x) {
  v("status", x.status), v("chains", x.chains);
}
template <class V>
void fields(V& v, FamilyCounts& x) {
  v("counts", x.counts), v("steps", x.steps), v("steps_settled", x.steps_settled), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, CountFamily& x) {
  v("chain", x.chain), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ChainDescription& x) {
  v("chain", x.chain), v("status", x.status), v("name", x.name), v("definition", x.definition), v("package", x.package), v("parent", x.parent),
      v("started_at", x.started_at), v("finished_at", x.finished_at), v("now", x.now), v("steps", x.steps), v("steps_settled", x.steps_settled),
      v("error", x.error), v("package_error", x.package_error), v("arguments", x.arguments), v("context", x.context), v("response", x.response),
      v("cancel_reason", x.cancel_reason), v("cancelled_by", x.cancelled_by), v("pause_reason", x.pause_reason), v("paused_by", x.paused_by),
      v("paused_at", x.paused_at), v("paused_above", x.paused_above), v("priority", x.priority), v("last_event", x.last_event),
      v("last_at", x.last_at), v("labels", x.labels), v("trace", x.trace), v("deadline_at", x.deadline_at), v("forked_from", x.forked_from),
      v("forked_at", x.forked_at);
}
template <class V>
void fields(V& v, FoundSubmission& x) {
  v("chain", x.chain), v("submitted_at", x.submitted_at), v("expires_at", x.expires_at), v("removed", x.removed);
}
template <class V>
void fields(V& v, TokenRow& x) {
  v("id", x.id), v("name", x.name), v("role", x.role), v("created_at", x.created_at), v("expires_at", x.expires_at), v("revoked_at", x.revoked_at),
      v("rate", x.rate), v("namespace", x.namespace_);
}
template <class V>
void fields(V& v, TokenList& x) {
  v("tokens", x.tokens);
}
template <class V>
void fields(V&, ListTokens&) {}
template <class V>
void fields(V& v, FindSubmission& x) {
  v("submission_key", x.submission_key);
}
template <class V>
void fields(V& v, DescribeChain& x) {
  v("chain", x.chain), v("epoch", x.epoch);
}
template <class V>
void fields(V& v, StepRow& x) {
  v("id", x.id), v("status", x.status), v("visit", x.visit), v("fan_out", x.fan_out), v("items", x.items), v("ok", x.ok), v("failed", x.failed),
      v("entered_at", x.entered_at), v("settled_at", x.settled_at), v("error", x.error), v("terms", x.terms), v("signal", x.signal),
      v("awaits_approval", x.awaits_approval);
}
template <class V>
void fields(V& v, StepPage& x) {
  v("steps", x.steps), v("next", x.next);
}
template <class V>
void fields(V& v, ListSteps& x) {
  v("chain", x.chain), v("first", x.from), v("epoch", x.epoch);
}
template <class V>
void fields(V& v, StepAttempts& x) {
  v("step", x.step), v("attempts", x.attempts);
}
template <class V>
void fields(V& v, AttemptCounts& x) {
  v("steps", x.steps), v("next", x.next), v("marks", x.marks), v("behind_marks", x.behind_marks);
}
template <class V>
void fields(V& v, CountAttempts& x) {
  v("chain", x.chain), v("sequence", x.from);
}
template <class V>
void fields(V& v, HistoryEvent& x) {
  v("sequence", x.sequence), v("at", x.at), v("text", x.text), v("json", x.json), v("kind", x.kind), v("step", x.step), v("visit", x.visit),
      v("fan_out", x.fan_out), v("items", x.items), v("failed", x.failed), v("worker", x.worker), v("problem", x.problem);
}
template <class V>
void fields(V& v, HistoryPage& x) {
  v("events", x.events), v("next", x.next);
}
template <class V>
void fields(V& v, ReadHistory& x) {
  v("chain", x.chain), v("sequence", x.from), v("limit", x.limit), v("in_full", x.in_full), v("step", x.step), v("item", x.item), v("kinds", x.kinds),
      v("since", x.since);
}
template <class V>
void fields(V& v, ValuePiece& x) {
  v("text", x.text), v("next", x.next), v("exists", x.exists);
}
template <class V>
void fields(V& v, ReadValue& x) {
  v("chain", x.chain), v("what", x.what), v("step", x.step), v("item", x.item), v("piece", x.piece), v("epoch", x.epoch);
}
template <class V>
void fields(V& v, ChainWaits& x) {
  v("now", x.now), v("reasons", x.reasons), v("moved_by", x.moved_by), v("in_doubt", x.in_doubt), v("last_at", x.last_at), v("status", x.status),
      v("workers_decide", x.workers_decide);
}
template <class V>
void fields(V& v, AskWaits& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.item);
}

}  // namespace catena::coordinator
