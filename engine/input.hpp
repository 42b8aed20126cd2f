#pragma once
// What can happen to a chain. Every input carries the time it happened at; a stale one (another visit, a closed grant, a foreign
// incarnation) changes nothing.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/chain_labels.hpp"
#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/time.hpp"
#include "base/trace_context.hpp"
#include "engine/payload.hpp"
#include "engine/terms.hpp"

namespace catena::engine {

struct Start {
  std::string package, definition;
  Payload arguments, context;
  ChainId parent;
  std::uint32_t depth = 0;
  GrantId for_grant = 0;              // the parent's grant that this chain runs for
  std::optional<StepIndex> entry;     // of a branch: the step that is entered instead of the program's first
  std::string directory = {};         // where it was submitted, an absolute path; empty: nobody knows
  std::uint64_t removals_before = 0;  // chains that had been removed from the store: tells it from one that had its id before
  ChainLabels labels = {};            // by which it is found
  TraceContext trace = {};            // of whoever starts it
  UnixMillis deadline_at = 0;         // when it fails, where it has not ended; 0: never. Never of a child
};

/// What a step actor found when it evaluated a step whose gate is open.
struct Skip {};
struct Begin {
  Payload arguments;
  bool same = false;  // they are those of the former visit, whose result stays
};
struct Expand {
  std::uint32_t width = 0;
  Payload arguments;
  IndexSet same = {};  // items whose arguments are those of the former visit, and whose results stay: they are in the ledger again
};
struct Evaluated {
  VisitId visit;
  std::variant<Skip, Begin, Expand, Error> outcome;
  std::vector<std::string> warnings;
};
/// What transform_responses made of a fan-out's list: an object of keys that stand beside `.response`. Of rounds of a block: what they leave
/// in the state.
struct Shaped {
  VisitId visit;
  std::variant<Payload, Error> outcome;
  std::vector<std::string> warnings;
  std::map<std::string, Payload> variables;
};
struct OutputsEvaluated {
  std::variant<Payload, Error> outcome;
};

/// A worker has room: up to `items` of this visit go to it.
struct Offer {
  VisitId visit;
  WorkerId worker;
  Incarnation incarnation = 0;
  std::uint32_t items = 1;
  GrantId above = 0;  // the grant gets a number above it
};

/// `returned`: the attempt never began, so nothing can be in doubt and nothing counts.
enum class Outcome : std::uint8_t { ok, failed, cancelled, returned };
struct ItemReport {
  ItemIndex item = 0;
  Outcome outcome = Outcome::ok;
  Payload response;                          // of a plain step; a fan-out's responses go to the ledger
  Error error;                               // when failed
  std::map<std::string, Payload> variables;  // state writes of a step in a sequence
  std::vector<std::string> warnings;         // of evaluating its response
};
struct Report {
  GrantId grant = 0;
  Incarnation incarnation = 0;
  std::vector<ItemReport> items;
};
/// All grants of that incarnation are lost; with `grants`, only those.
struct WorkerLost {
  WorkerId worker;
  Incarnation incarnation = 0;
  std::vector<GrantId> grants;
};
struct TimerDue {};

/// What runs is stopped, then the final steps run; with `now` they are stopped too, or not begun.
struct Cancel {
  std::string reason;
  bool now = false;
  std::string by = {};  // empty: the chain above, or the process
};
/// Nothing new begins; what runs ends and is recorded. `above`: because the chain that started this one is paused. `by`: who asked.
struct Pause {
  std::string reason = {};
  std::string by = {};
  bool above = false;
};
/// Takes back a pause, of a person or of the chain above. While the other one holds the chain stays paused.
struct Unpause {
  std::string reason = {};
  std::string by = {};
  bool above = false;
};
/// Other terms from now on, for one step or for all.
struct Amend {
  std::optional<StepIndex> only = {};
  Terms terms = {};
  std::optional<std::int32_t> priority = {};  // of the chain
  std::optional<Deadline> deadline = {};      // of the chain, a span from now on; one that is empty takes it off
  std::string reason = {};
  std::string by = {};
};
/// Data for the step that waits for a signal of this name, now or later.
struct Signal {
  std::string name;
  Payload data = {};
  std::string key = {};  // a second signal with the same one changes nothing; empty: each counts
  std::string reason = {};
  std::string by = {};
};
/// What the data of a kept signal came to as the response of the step that is to take it.
struct SignalUsed {
  VisitId visit;
  std::uint64_t number = 0;
  std::variant<Payload, Error> outcome;
  std::map<std::string, Payload> variables = {};  // state writes of a step in a sequence
  std::vector<std::string> warnings = {};
};
/// A person's word on items that wait for it.
struct Approval {
  StepIndex step = 0;
  IndexSet items = {};  // of a plain step: 0; those that do not wait are passed over
  bool approved = true;
  Payload arguments = {};  // of a plain step that is approved, in place of those that it has; empty: they stay
  std::string key = {};    // a second answer with the same one changes nothing; empty: each counts
  std::string reason = {};
  std::string by = {};
};
/// Run again what failed or never ran, what else is asked for, and what may come out otherwise then (see engine/repair.hpp). A chain that has not
/// ended goes on with all that runs or waits, and changes nothing where something is in the way (see obstacle_of).
struct Retry {
  GrantId for_grant = 0;                     // of a child: the parent's new attempt
  std::string package = {};                  // hash of the one that is run from now on; empty: that it had
  std::string definition = {};               // key within it; empty: that it had
  bool only_failed = false;                  // changed tools are no reason; failures that were tolerated or handled are one
  std::set<StepIndex> anew = {};             // from their beginning
  std::set<StepIndex> compared = {};         // evaluated again: results of the same arguments stay
  std::map<StepIndex, IndexSet> items = {};  // of fan-outs: these items too, whatever they have
  bool failures_stand = false;               // items of fan-outs that failed stay so unless `items` names them, as far as that many are tolerated
  std::string reason = {};
  std::string by = {};
};
/// A person knows what became of tasks in doubt; items that are not are passed over.
struct Resolve {
  VisitId visit;
  IndexSet items;                                        // of a plain step: 0
  std::variant<Payload, Error, std::monostate> outcome;  // its response; its error; run it again
  std::string reason = {};
  std::string by = {};
};
/// A person gives a response in place of running a step, or items of one; those that run or have a response are passed over. A chain that has
/// ended goes on as with a retry. Of one that has not, what has failed is opened again first, as by a retry that names it.
struct Substitute {
  StepIndex step = 0;
  IndexSet items = {};  // of a plain step: 0
  Payload response = {};
  std::map<std::string, Payload> variables = {};  // state writes of a step in a sequence
  std::string reason = {};
  std::string by = {};
};
struct Quarantine {
  Error error;
};

/// The chain of this state becomes another one, which goes on where it stands: see engine/fork.hpp.
struct Fork {
  ChainId source;
  std::optional<StepIndex> step = {};     // goes back to the beginning of it; none: as it stands
  std::optional<Payload> arguments = {};  // in place of those that it had
  std::string directory = {};             // as in Start, and so what follows
  std::uint64_t removals_before = 0;
  ChainLabels labels = {};
  TraceContext trace = {};
  std::string by = {};
  std::string reason = {};
};

struct Input {
  std::variant<Start, Evaluated, Shaped, OutputsEvaluated, Offer, Report, WorkerLost, TimerDue, Cancel, Pause, Unpause, Retry, Resolve, Substitute,
               Quarantine, Amend, Signal, SignalUsed, Approval, Fork>
      what;
  UnixMillis at = 0;
};

}  // namespace catena::engine
