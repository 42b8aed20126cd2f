#pragma once
// The state of one chain: what folding its journal gives. Memory is O(steps) plus two bits an item of its fan-outs.
#include <map>
#include <optional>
#include <set>
#include <string>
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
#include "engine/seldom.hpp"
#include "engine/terms.hpp"

namespace catena::engine {

/// What an item has been through; kept only for items that did not succeed at once.
struct Tries {
  std::uint32_t failed = 0;     // attempts that count against the retry policy
  std::uint32_t lost = 0;       // attempts whose worker went away
  std::uint32_t postponed = 0;  // attempts that asked to be made again later
  [[nodiscard]] std::uint32_t all() const { return failed + lost + postponed; }
  friend bool operator==(const Tries&, const Tries&) = default;
};

/// What a step came to before a person had it run again: results of the same arguments stay.
struct FormerVisit {
  Visit visit = 0;
  bool fan_out = false;
  bool completed = false;
  std::uint32_t width = 0;
  Payload arguments;
  IndexBits ok;      // items that have a response which may stay
  Payload response;  // of a plain step
  friend bool operator==(const FormerVisit&, const FormerVisit&) = default;
};

/// The latest visit of a step. A plain step is a fan-out of width one whose item's response is the step's.
struct VisitState {
  Visit visit = 0;  // 0: never entered
  VisitStatus status = VisitStatus::blocked;
  bool fan_out = false;
  std::uint32_t width = 0;
  Payload arguments;                                   // of a plain step; of a fan-out, those that all items share
  IndexBits ok;                                        // items that settled with a response
  IndexBits bad;                                       // items that settled with an error
  std::uint32_t next = 0;                              // items from here on were never granted
  IndexSet again;                                      // items that may be granted once more
  std::set<std::pair<UnixMillis, ItemIndex>> waiting;  // for their next attempt, by when it is due
  IndexSet in_doubt;                                   // at_most_once items whose worker was lost
  std::uint32_t in_flight = 0;                         // items in open grants of this visit
  std::map<ItemIndex, Tries> tries;
  UnixMillis entered_at = 0;
  UnixMillis settled_at = 0;
  UnixMillis deadline_at = 0;         // 0: none
  std::optional<Error> first_error;   // of the first item that failed for good
  Attempt first_error_attempt = 0;    // that ended in it; 0: none did
  Payload response;                   // of a completed plain step; of a fan-out, the keys that its transform_responses added
  std::optional<Error> error;         // of a failed visit
  std::optional<FormerVisit> former;  // until it is entered
  std::optional<Terms> terms;         // a person's, in place of the definition's; of later visits too
  friend bool operator==(const VisitState&, const VisitState&) = default;
};

/// Items handed to one worker incarnation, journaled before they leave.
struct Grant {
  VisitId visit;
  WorkerId worker;
  Incarnation incarnation = 0;
  IndexSet open;  // items not reported yet
  UnixMillis at = 0;
  friend bool operator==(const Grant&, const Grant&) = default;
};

/// That no step has taken yet.
struct KeptSignal {
  std::uint64_t number = 0;
  std::string name;
  Payload data;
  UnixMillis at = 0;
  friend bool operator==(const KeptSignal&, const KeptSignal&) = default;
};

struct SignalBook {
  std::uint64_t count = 0;             // of signals that have come
  std::vector<KeptSignal> kept = {};   // in the order of their numbers
  std::vector<std::string> keys = {};  // of the latest that had one: see remembered_key
  friend bool operator==(const SignalBook&, const SignalBook&) = default;
};

/// Items of a step's latest visit that wait for a person before they are granted, or have waited. Of a plain step: 0.
struct AskedApproval {
  StepIndex step = 0;
  Visit visit = 0;
  IndexSet open = {};    // they wait
  IndexSet denied = {};  // they were rejected, or the chain ended before an answer came: a retry asks for them again
  UnixMillis since = 0;  // when they were asked for
  UnixMillis until = 0;  // how long they wait; 0: for good
  friend bool operator==(const AskedApproval&, const AskedApproval&) = default;
};
struct ApprovalBook {
  std::vector<AskedApproval> asked = {};  // by step, each at most once
  std::vector<std::string> keys = {};     // of the latest answers that had one
  friend bool operator==(const ApprovalBook&, const ApprovalBook&) = default;
};

/// Of a cancel; for people alone.
struct CancelWords {
  std::string reason = {};  // as somebody gave it
  std::string by = {};      // who did
  friend bool operator==(const CancelWords&, const CancelWords&) = default;
};

/// Where a chain comes from that another one was forked into.
struct ForkOrigin {
  ChainId source;
  Sequence shared = 0;                 // the last event of that chain that is its own, too
  std::optional<StepIndex> step = {};  // that began anew
  friend bool operator==(const ForkOrigin&, const ForkOrigin&) = default;
};

struct ChainState {
  Sequence seq = 0;        // of the last event applied
  UnixMillis last_at = 0;  // the latest time that an event has had
  ChainStatus status = ChainStatus::pending;
  std::string package;     // hash
  std::string definition;  // key within the package
  Payload arguments;
  Payload context;
  std::string directory;              // where it was submitted, an absolute path; empty: nobody knows
  std::uint64_t removals_before = 0;  // see Start
  ChainLabels labels;                 // see Start
  KeptTrace trace;                    // see Start
  ChainId parent;                     // empty: submitted by somebody
  std::uint32_t depth = 0;            // composites above this one
  std::uint32_t trace_part = 0;       // parts that its trace has had before
  GrantId for_grant = 0;              // the parent's grant that this chain runs for
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;
  UnixMillis deadline_at = 0;  // see Start and Amend; 0 also behind a retry that came later than that
  std::vector<VisitState> steps;
  std::set<StepIndex> running;      // steps whose visit is running: derived from `steps`
  std::uint32_t unsettled = 0;      // steps that are blocked or running: derived from `steps`
  std::map<GrantId, Grant> grants;  // open ones
  GrantId last_grant = 0;
  std::optional<StepIndex> entering;         // sequences: the step whose entry gate is open
  std::uint32_t visits = 0;                  // sequences: entries so far
  std::map<std::string, Payload> variables;  // sequences: those that steps have written
  std::optional<Error> failing;              // set: the chain will fail once what runs has ended
  bool cancelling = false;
  bool cancelling_now = false;  // final steps are stopped too
  Seldom<CancelWords> cancel_words;
  bool paused_own = false;     // a person paused it
  bool paused_above = false;   // the chain that started it is paused
  bool held_children = false;  // it was paused at some time: its children are told whether it is
  std::string pause_reason;    // of the person
  std::string paused_by;
  UnixMillis paused_at = 0;              // since when it is paused
  std::optional<std::int32_t> priority;  // a person's, in place of the one that it was submitted with
  bool only_failed = false;              // the last retry asked so; its children do likewise
  Seldom<SignalBook> had_signals;        // those that have come
  Seldom<ApprovalBook> approvals;        // that were asked for
  Seldom<ForkOrigin> forked_from;        // no source: it began with its submission
  Payload response;
  std::optional<Error> error;
  friend bool operator==(const ChainState&, const ChainState&) = default;
};

/// It ends whatever becomes of its steps: none but the final ones is started any more.
[[nodiscard]] inline bool winds_down(const ChainState& state) { return state.failing.has_value() || state.cancelling; }

/// When it fails by its deadline, as far as it may still; 0: it does not. One that is being cancelled only ends what it has begun.
[[nodiscard]] inline UnixMillis awaited_deadline(const ChainState& state) {
  return is_under_way(state.status) && !state.cancelling ? state.deadline_at : 0;
}

/// For a checkpoint: MessagePack; decode_state(encode(s)) == s.
[[nodiscard]] std::string encode(const ChainState& state);
[[nodiscard]] Result<ChainState> decode_state(std::string_view bytes);

}  // namespace catena::engine
