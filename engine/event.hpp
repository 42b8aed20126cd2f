#pragma once
// The durable facts of a chain. Small whatever the width of a fan-out: items appear as runs of indices, their values are
// ledger records in the same batch.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/chain_labels.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/trace_context.hpp"
#include "engine/payload.hpp"
#include "engine/phase.hpp"
#include "engine/terms.hpp"

namespace catena::engine {

struct ChainStarted {
  std::string package, definition;
  std::uint32_t steps = 0;
  Payload arguments, context;
  ChainId parent;
  std::uint32_t depth = 0;
  GrantId for_grant = 0;
  std::optional<StepIndex> entry;
  UnixMillis at = 0;
  std::string directory = {};
  std::uint64_t removals_before = 0;
  ChainLabels labels = {};
  TraceContext trace = {};
  UnixMillis deadline_at = 0;  // of the chain; 0: none
};
/// A plain step begins, with the arguments it will run with.
struct VisitEntered {
  VisitId visit;
  Payload arguments;
  UnixMillis deadline_at = 0;
  UnixMillis at = 0;
  IndexSet kept = {};  // 0: what the former visit came to stays
};
/// A fan-out begins; its items are input records in the same batch.
struct ItemsExpanded {
  VisitId visit;
  std::uint32_t width = 0;
  Payload arguments;
  UnixMillis deadline_at = 0;
  UnixMillis at = 0;
  IndexSet kept = {};  // items whose results of the former visit stay: they are in the ledger of this one
};
struct VisitSkipped {
  VisitId visit;
  UnixMillis at = 0;
};
/// A condition or a value that a person may want to look at. Changes nothing.
struct Warned {
  VisitId visit;
  std::string message;
  UnixMillis at = 0;
};
struct Granted {
  GrantId grant = 0;
  VisitId visit;
  WorkerId worker;
  Incarnation incarnation = 0;
  IndexSet items;
  UnixMillis at = 0;
};
enum class Ended : std::uint8_t { failed, lost, cancelled, postponed };
/// Attempts ended without settling their items. Those of one report that failed with the same code are one event.
struct AttemptsEnded {
  GrantId grant = 0;
  VisitId visit;
  IndexSet items;
  Ended how = Ended::failed;
  bool in_doubt = false;       // lost, and not to be made again before a person has looked
  std::optional<Error> error;  // of the first of `items`
  UnixMillis at = 0;
};
/// Items got their one outcome: a response each of `ok`, an error each of `bad`, in the ledger.
struct ItemsSettled {
  GrantId grant = 0;  // 0: without an attempt (resolved by a person)
  VisitId visit;
  IndexSet ok, bad;
  std::optional<Error> error;  // of the first of `bad`
  UnixMillis at = 0;
  Attempt attempt = 0;  // that ended in the error; 0: none did
  std::string by = {};  // without an attempt: who resolved them
  std::string reason = {};
};
/// Items wait for another attempt.
struct RetryArmed {
  VisitId visit;
  IndexSet items;
  std::vector<std::int64_t> after;  // how long from `at` on, in ms, in the order of the items
  UnixMillis at = 0;
};
/// The pause before another attempt is over.
struct RetryReleased {
  VisitId visit;
  IndexSet items;
  UnixMillis at = 0;
};
/// A person gave items a response in place of running them: it is in the ledger. None of them was on its way or had one.
struct ItemsGiven {
  VisitId visit;
  IndexSet items;
  UnixMillis at = 0;
  std::string by = {};
  std::string reason = {};
};
/// A person said what became of attempts in doubt: run them again.
struct DoubtCleared {
  VisitId visit;
  IndexSet items;
  UnixMillis at = 0;
  std::string by = {};
  std::string reason = {};
};
struct VisitSettled {
  VisitId visit;
  VisitStatus status = VisitStatus::completed;
  Payload response;
  std::optional<Error> error;
  bool fails_chain = false;
  UnixMillis at = 0;
  bool given = false;  // the response is that of a person, in place of a run
  std::string by = {};
  std::string reason = {};
};
struct StateWritten {
  StepIndex step = 0;
  std::map<std::string, Payload> variables;
  UnixMillis at = 0;
};
/// A sequence goes on: the entry gate of `to` opens.
struct Jumped {
  StepIndex from = 0;
  StepIndex to = 0;
  UnixMillis at = 0;
};
/// A pause of a person, or (`above`) of the chain that started this one, began or is over.
struct PauseChanged {
  bool paused = false;
  UnixMillis at = 0;
  std::string reason = {};
  std::string by = {};
  bool above = false;
};
/// A person's other terms for one step, or for all; or another priority or deadline of the chain. Grants that are out keep theirs.
struct Amended {
  std::optional<StepIndex> only;
  Terms terms;
  std::optional<std::int32_t> priority;
  std::string reason;
  std::string by;
  UnixMillis at = 0;
  std::optional<UnixMillis> deadline_at = {};  // of the chain; 0: it has none any more
};
/// Somebody sent the chain a signal. It is kept until a step that waits for it takes it.
struct SignalReceived {
  std::uint64_t number = 0;  // of the signals that this chain has had, from 1 on
  std::string name;
  Payload data;
  std::string key = {};  // of whoever may send it again: it counts once; empty: none
  std::string by = {};
  std::string reason = {};
  UnixMillis at = 0;
};
/// A step took the signal that it waited for. With `ok` the data are its response.
struct SignalConsumed {
  VisitId visit;
  std::uint64_t number = 0;
  bool ok = true;
  UnixMillis at = 0;
};
/// Items wait for a person before they are granted: they were free.
struct ApprovalAsked {
  VisitId visit;
  IndexSet items;        // of a plain step: 0
  UnixMillis until = 0;  // how long they wait; 0: for good
  UnixMillis at = 0;
};
/// A person approved or rejected items that waited for it, or the time to do so was over. Rejected ones have failed: the error of each is in the
/// ledger.
struct ApprovalAnswered {
  VisitId visit;
  IndexSet items;
  bool approved = false;
  std::optional<Error> error = {};  // of those that are rejected
  Payload arguments = {};           // of a plain step, in place of those that it had; empty: they stay
  std::string key = {};             // of whoever may answer again: it counts once; empty: none
  std::string by = {};              // empty: the time was over
  std::string reason = {};
  UnixMillis at = 0;
};
struct CancelRequested {
  std::string reason;
  UnixMillis at = 0;
  bool now = false;     // final steps do not run any more
  std::string by = {};  // empty: nobody did, its deadline passed or the chain above is cancelled
};
/// A step that a person's retry opens again: its visit goes on with the items that have no response, or a new visit begins (`anew`).
struct Reopened {
  StepIndex step = 0;
  UnixMillis deadline_at = 0;
  bool enter = false;           // of a sequence, and its entry failed: its gate opens again
  bool items_stand = false;     // a fan-out whose items had settled: only its list is shaped again
  bool anew = false;            // once its gate is open it is evaluated and entered again
  bool keep = false;            // with `anew`: results stay where the arguments are the same
  IndexSet items = {};          // run again whatever they have; of a step that is completed or runs no others do
  bool failures_stand = false;  // of a step that goes on: items that failed and are not named stay so
  friend bool operator==(const Reopened&, const Reopened&) = default;
};
/// A person's retry: the chain runs again, or goes on with what had failed in it.
struct RetryRequested {
  std::vector<Reopened> steps;
  GrantId for_grant = 0;
  UnixMillis at = 0;
  std::string package = {};       // that it runs from now on; empty: the one that it had
  std::string definition = {};    // the same
  std::uint32_t steps_total = 0;  // that the definition has now; 0: as many as before
  bool only_failed = false;       // see Retry: children that run again are to do likewise
  std::string by = {};
  std::string reason = {};
};
/// A chain begins with what another one had come to: the events before this one are those of that chain, in which it was what they say. From here
/// on the chain is its own: nothing of it is out, nothing is in doubt, and what waits has left what it had then.
struct ChainForked {
  ChainId source;
  std::optional<StepIndex> back_to = {};  // this step begins anew here, with all that depends on it
  std::vector<Reopened> steps = {};
  IndexSet cut = {};  // steps that ran there, and do not go on as they are
  Payload arguments = {};
  bool other_arguments = false;  // than those of that chain
  std::int64_t later_ms = 0;     // by which all that was waited for is due later than there
  std::string directory = {};
  std::uint64_t removals_before = 0;
  ChainLabels labels = {};
  TraceContext trace = {};
  std::string by = {};
  std::string reason = {};
  UnixMillis at = 0;
};
/// The chain cannot succeed any more (outputs could not be evaluated, too many visits).
struct ChainFailing {
  Error error;
  UnixMillis at = 0;
};
struct ChainFinished {
  ChainStatus status = ChainStatus::succeeded;
  Payload response;
  std::optional<Error> error;
  UnixMillis at = 0;
};
struct ChainQuarantined {
  Error error;
  UnixMillis at = 0;
};

using Event =
    std::variant<ChainStarted, VisitEntered, ItemsExpanded, VisitSkipped, Warned, Granted, AttemptsEnded, ItemsSettled, RetryArmed, RetryReleased,
                 DoubtCleared, VisitSettled, StateWritten, Jumped, PauseChanged, CancelRequested, RetryRequested, ChainFailing, ChainFinished,
                 ChainQuarantined, ItemsGiven, Amended, SignalReceived, SignalConsumed, ApprovalAsked, ApprovalAnswered, ChainForked>;

/// {"event": "VisitEntered", …}: for people (history) and, packed, for the journal.
[[nodiscard]] Json to_json(const Event& event);
/// "ChainStarted", "VisitEntered", …: in the order of the variant.
[[nodiscard]] std::span<const std::string_view> event_names();
[[nodiscard]] std::string_view name(const Event& event);
/// MessagePack of to_json. Unknown members are ignored and absent ones take their default, so versions one apart read each other.
[[nodiscard]] std::string encode(const Event& event);
[[nodiscard]] Result<Event> decode_event(std::string_view bytes);
/// Several of them, as one record: what one turn decided. One alone is written as above.
[[nodiscard]] std::string encode(std::span<const Event> events);
[[nodiscard]] Result<std::vector<Event>> decode_events(std::string_view bytes, std::uint32_t count);

}  // namespace catena::engine
