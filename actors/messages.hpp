#pragma once
// Messages that never leave the process: they carry engine values as they are. The compiler is told so (unsafe to serialise), and
// they are not registered with the actor system.
#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/type_id.hpp>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/channel.hpp"
#include "actors/explain_messages.hpp"
#include "actors/feed_messages.hpp"
#include "actors/fork_messages.hpp"
#include "actors/housekeeping_messages.hpp"
#include "actors/protocol.hpp"
#include "actors/repair_wish.hpp"
#include "actors/schedule_messages.hpp"
#include "actors/sleep_messages.hpp"
#include "actors/token_messages.hpp"
#include "actors/webhook_messages.hpp"
#include "base/chain_labels.hpp"
#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/trace_context.hpp"
#include "base/webhooks.hpp"
#include "engine/input.hpp"
#include "engine/phase.hpp"
#include "engine/placement.hpp"
#include "engine/state.hpp"
#include "lang/package/package.hpp"
#include "storage/audit_store.hpp"
#include "storage/feed_store.hpp"
#include "storage/kv.hpp"
#include "storage/submission_keys.hpp"

namespace catena::actors {

// ---- journal --------------------------------------------------------------------------------------------------------

/// Of an actor's commits, from 1; 0: nobody waits for this one.
using CommitNumber = Number<struct CommitTag>;

/// Records that become durable together, and after those sent before. The sender lets go of the batch; it gets Durable{number} when
/// they are, unless the number is 0.
struct Commit {
  std::shared_ptr<storage::Batch> batch;
  storage::Durability durability = storage::Durability::sync;
  CommitNumber number = 0;
  bool behind = false;                                    // written by itself, `async`, when all others that wait have been written and answered
  std::vector<storage::Notice> notices = {};              // for the feed; they get their numbers when they are written
  std::shared_ptr<const storage::AuditEntry> audit = {};  // for the audit log; null: none
};
struct Durable {
  CommitNumber commit = 0;
};

// ---- dispatcher -----------------------------------------------------------------------------------------------------

/// A chain has items that a worker could take; `wanted` orders at a time would be of use.
struct Wanted {
  VisitId visit;
  std::uint32_t wanted = 1;
  std::shared_ptr<const engine::Need> need;
  std::int32_t priority = 0;  // of the chain: see engine::weight_of
  std::uint32_t urgency = 1;  // steps on the longest way from this one to the end
  ChainId family;             // the chain that somebody submitted: it and its children share
};
/// Room for one order at a worker. Its holder gives it back when the order is done.
struct Ticket {
  WorkerId worker;
  Incarnation incarnation = 0;
  caf::actor node;
  VisitId visit;                                   // for which it was asked
  std::shared_ptr<const engine::Offered> offered;  // by the worker: what else the ticket may be used for
};
struct TicketBack {
  WorkerId worker;
  Incarnation incarnation = 0;
};
/// In the name of a chain that has ended: it wants no more tickets.
struct ForgetChain {};
/// The answer, behind every ticket that was on its way: nothing more comes.
struct ChainForgotten {};
/// A worker went away: what was granted to it is lost.
struct NodeGone {
  WorkerId worker;
  Incarnation incarnation = 0;
};
/// A grant that a recovered chain found open: its worker may run it still. Answered with Claimed when that incarnation is or becomes
/// registered, with NodeGone once it is known that it will not.
struct Claim {
  GrantId grant = 0;
  VisitId visit;
  WorkerId worker;
  Incarnation incarnation = 0;
  ChainId family;
};
struct Claimed {
  GrantId grant = 0;
  Ticket ticket;  // counts, whether there is room or not
};
/// A visit has nothing to give out and its chain wonders whether others could help that worker. Answered with Room as soon as one of them
/// has an idle slot for it. A later question after the visit replaces it; one without a need withdraws it.
struct AskRoom {
  VisitId visit;
  std::shared_ptr<const engine::Need> need;
  WorkerId other_than;
};
struct Room {
  VisitId visit;
  std::uint32_t slots = 0;  // idle ones
};
/// What keeps a visit from being placed, whenever that changes. Null: nothing does.
struct Unplaceable {
  VisitId visit;
  std::shared_ptr<const engine::Reason> why;
};

// ---- nodes ----------------------------------------------------------------------------------------------------------

inline constexpr std::uint64_t kFinishedUnknown = std::numeric_limits<std::uint64_t>::max();

/// What a session knows of its worker, with each heartbeat.
struct NodeStatus {
  WorkerId worker;
  Incarnation incarnation = 0;
  std::string address;
  std::string version;
  std::uint32_t running = 0;
  std::uint32_t queued = 0;
  std::uint64_t finished = 0;  // attempts since it started; kFinishedUnknown: it has not said
  UnixMillis heartbeat_at = 0;
  bool draining = false;  // it takes no new work: somebody stops it
};
/// Of a session to the dispatcher: its worker has left, and gets no tickets any more. Answered with TicketsSettled.
struct NodeParting {
  WorkerId worker;
  Incarnation incarnation = 0;
};
/// Nobody has a ticket of the worker that is parting: no order is on its way to it.
struct TicketsSettled {};
/// A worker has a program now.
struct NodeCached {
  WorkerId worker;
  Incarnation incarnation = 0;
  std::string hash;
};
enum class NodeVerb : std::uint8_t { cordon, uncordon, drain };
/// Of a person: a cordoned worker gets no new work; one that is to drain neither, and its node gets a DrainNode, which uncordon takes back.
/// Either holds for the worker's name, also over restarts of the coordinator; a drain is over when the worker has left. Answered with
/// NodeControlled once it is durable.
struct NodeControl {
  WorkerId worker;
  NodeVerb what = NodeVerb::cordon;
  bool kept = true;         // false: it ends with the coordinator
  std::string reason = {};  // in the words of who asked, for the audit log
  bool only_check = false;  // say whether it can be done, and do nothing
};
struct NodeControlled {
  WorkerId worker;
  std::optional<Error> error;  // worker_unknown
};
/// Of the process to the dispatcher: nodes can reach it from now on. What workers may still run is waited for from this moment.
struct GateOpen {};
struct AskNodes {};  // answered with Nodes
/// Of who reads metrics: measure what is only measured when somebody asks. Answered with GaugesTaken.
struct TakeGauges {};
struct GaugesTaken {};
struct NodeInfo {
  WorkerId id;
  Incarnation incarnation = 0;
  std::string address;  // empty: of this process
  std::vector<std::string> labels, kinds, capabilities, tool_roots;
  std::uint32_t slots = 0;
  std::uint32_t used = 0;     // slots
  std::uint32_t running = 0;  // attempts
  std::uint32_t queued = 0;
  std::uint64_t rate_milli = 0;        // attempts that ended a second, times 1000
  std::int64_t heartbeat_age_ms = -1;  // -1: it sends none
  std::string version;
  engine::NodeState state = engine::NodeState::open;
  std::int64_t lost_ms = -1;  // since it went away without having left, and has not come back; -1: it is here
};
struct Nodes {
  std::vector<NodeInfo> nodes;  // by id
};

/// Of a chain to the supervisor, when it is durable: its child chains are to be paused, or not to be, and to have its priority.
struct HoldChildren {
  ChainId chain;
  bool held = false;
  std::optional<engine::Amend> amend = {};  // with the priority alone
};

// ---- links ----------------------------------------------------------------------------------------------------------

/// To the front: somebody was let in at the gate, and is to say what they want.
struct LineCame {
  link::LinePtr line;
  link::Peer peer;
};
/// Nothing was said on that line for too long.
struct GreetingDue {
  std::weak_ptr<link::Line> line;
};
/// A greeting that was admitted: its session answers with a Welcome.
struct Greeted {
  Greeting greeting;
  std::shared_ptr<Channel> channel;
  link::Peer peer;
};
/// Of a session to the front.
struct SessionLink {
  WorkerId worker;
  Incarnation incarnation = 0;
  bool linked = false;
};
/// Of the front to a session: its worker has ended, because its next start is here.
struct EndSession {};
/// Of a session to the front: this incarnation is given up or has left.
struct SessionEnded {
  WorkerId worker;
  Incarnation incarnation = 0;
};
/// Between a session and those that answer its worker's calls of the file store, which may block.
struct FileAsked {
  FileCall call;
};
struct FileAnswered {
  FileAnswer answer;
  std::size_t place = 0;  // of the helper among those of its session
};
/// To the front: nobody is admitted any more.
struct StopAdmitting {};
/// A call of a client whose answer is read from the store or the file store, which may block: of its session to a helper. `answer` is
/// encoded, see coordinator/client_calls.hpp.
struct AnswerCall {
  std::uint64_t call = 0;
  std::function<std::string()> answer;
};
/// What became of one call of a client: of a helper to its session.
struct CallAnswered {
  std::uint64_t call = 0;
  std::string answer;  // encoded, see coordinator/client_calls.hpp
};

// ---- families -------------------------------------------------------------------------------------------------------

/// What entitles a child chain to live. `reserved`: its parent was given a berth for it. `earlier`: it was started before its parent's
/// coordinator was, and had one then. `refused`: there is none, and there will be none.
enum class Berth : std::uint8_t { earlier, reserved, refused };
/// Whether a chain has anything under way but child chains.
enum class Besides : std::uint8_t { nothing, something };
/// Of a chain to the supervisor: it could start so many child chains of this visit. Takes the place of what it wanted before; 0: none.
/// Answered with BerthsGiven, in several parts where there is less, or with BerthRefused.
struct BerthsWanted {
  VisitId visit;
  std::uint32_t berths = 0;
  Besides besides = Besides::something;
};
struct BerthsGiven {
  VisitId visit;
  std::uint32_t berths = 0;
};
/// All chains of the family wait for each other: one child of this visit cannot be started.
struct BerthRefused {
  VisitId visit;
};
/// Of a chain, or of a step of it: berths that it was given and does not use.
struct BerthsBack {
  ChainId chain;
  std::uint32_t berths = 0;
};
/// Of a step to the supervisor: end this child of its chain, which need not live for that. Answered with ChainEnded once that is durable.
struct CancelChild {
  ChainId chain;
  ChainId parent;
  std::string reason;
  bool now = false;  // see engine::Cancel
};
/// Of the supervisor to itself: the next of what is to be done bit by bit.
struct GoOn {};
/// Of the supervisor to itself: how much memory does the process use now?
struct MemoryDue {};

// ---- steps ----------------------------------------------------------------------------------------------------------

/// The gate of a step is open and its expressions read the store: evaluate them over this state.
struct EvaluateStep {
  std::shared_ptr<const engine::ChainState> state;
};
/// A fan-out's list is complete and durable: evaluate its transform_responses over this state.
struct ShapeStep {
  std::shared_ptr<const engine::ChainState> state;
};
/// A grant that is durable: carry it out.
struct RunGrant {
  GrantId grant = 0;
  WorkerId worker;
  Incarnation incarnation = 0;
  caf::actor node;  // empty: the step's composite, run as child chains
  IndexSet items;
  std::vector<std::pair<ItemIndex, Attempt>> attempts;  // of items that are not at their first
  std::shared_ptr<const engine::ChainState> state;      // where evaluating a response looks at more than the response; else null
  std::int64_t age_ms = 0;                              // how long the visit has been running
  TraceStand trace = {};                                // of the chain
  Berth berth = Berth::earlier;                         // of each of its child chains
  IndexSet resumes = {};                                // items of which an attempt has left a checkpoint
  Millis timeout{0};                                    // of each of its attempts; 0: none
  std::int32_t priority = 0;                            // of the chain
};
/// A grant whose child chains are to be stopped, and which this step may not have started: they end without being started.
struct EndChildren {
  RunGrant run;
  bool now = false;  // see StopGrant
};
struct StopGrant {
  GrantId grant = 0;
  bool now = false;  // of child chains: without their final steps
};
/// What has not begun of a grant may come back: others have nothing to do.
struct RecallGrant {
  GrantId grant = 0;
};
/// Whether the child chains of a grant have had the time of an attempt is looked at.
struct ChildrenDue {
  GrantId grant = 0;
  caf::actor_clock::time_point at;  // when they have
  Millis time{0};
};
/// What a step actor found; values over the limit and ledger records are in `records`, to be written with the events that follow.
/// Nothing of it is written before the evaluation is accepted: a second one of the same visit must not overwrite the items of the first.
struct StepEvaluated {
  engine::Evaluated evaluated;
  std::vector<std::shared_ptr<storage::Batch>> ahead;  // of bounded size each, to be written before `records`
  std::shared_ptr<storage::Batch> records;
};
struct StepShaped {
  engine::Shaped shaped;
  std::shared_ptr<storage::Batch> records;
};
struct ItemLedger {
  ItemIndex item = 0;
  std::string record;  // encoded storage::ItemRecord
};
struct StepReport {
  engine::Report report;
  VisitId visit;
  std::shared_ptr<storage::Batch> blobs;  // null: none
  std::vector<ItemLedger> ledger;         // of a fan-out
  std::int64_t took_us = 0;               // sum over the items
  caf::actor from;                        // hears ReportDurable; empty: nobody
  IndexSet heard;                         // items that it spoke of, whether anybody still wanted to know or not
  std::uint64_t item_bytes = 0;           // arguments of an item of this grant, in the mean
  bool given_back = false;                // the worker handed back some of it
  std::vector<AttemptNote> notes = {};    // what attempts said that have ended
};
/// What was reported of these items is durable, or nobody wants it: it need not be said again.
struct ReportDurable {
  ChainId chain;
  GrantId grant = 0;
  IndexSet items;
};

// ---- chains ---------------------------------------------------------------------------------------------------------

struct ChainEnded {
  ChainId chain;
  engine::ChainStatus status = engine::ChainStatus::succeeded;
  engine::Payload response;
  std::optional<Error> error;
};

struct Submission {
  ChainId chain;
  std::shared_ptr<const lang::Package> package;
  std::string definition;  // key within the package
  engine::Payload arguments;
  engine::Payload context;
  storage::Durability durability = storage::Durability::sync;
  ChainId parent;
  std::uint32_t depth = 0;
  GrantId for_grant = 0;                        // of the parent: a chain that ended for an earlier one is run again
  std::int32_t priority = 0;                    // of children: their parent's
  std::map<std::string, std::string> programs;  // contents of those that the package pins, by SHA-256: stored with the chain
  Berth berth = Berth::earlier;                 // of a child
  std::string directory = {};                   // where it was submitted, an absolute path; empty: nobody knows
  bool only_failed = false;                     // of a child: how it is run again, where it ended for an earlier grant
  ChainLabels labels = {};                      // of children: their parent's
  std::vector<Webhook> notify = {};             // who is told what becomes of it. Never of a child
  TraceContext trace = {};                      // of children: the attempt that they are
  std::string key = {};                         // the same submission once more makes no second chain; empty: it does. Never of a child
  bool id_made = false;                         // nobody asked for this id: with the same key another one is as good
  std::shared_ptr<const storage::KeyedSubmission> keyed = {};  // the supervisor's: recorded with the chain's start
  bool only_check = false;                                     // say whether it would be accepted, and begin nothing. Never of a child
  Deadline deadline = {};                                      // by when it has to have ended. Never of a child
};
struct Accepted {
  ChainId chain;
  ChainId ran = {};  // the chain that an earlier submission with the same key began, in place of this one; empty: there was none
};
/// Something a person asks of a chain that exists.
struct Control {
  ChainId chain;
  std::variant<engine::Cancel, engine::Pause, engine::Unpause, engine::Retry, engine::Resolve, engine::Substitute, engine::Amend, engine::Signal,
               engine::Approval>
      what;
  std::shared_ptr<const lang::Package> package = {};  // of a retry that names one
  std::map<std::string, std::string> programs = {};   // contents that it pins, by hash
  RepairWish wish = {};                               // of a retry by a person: what it is, in the names of steps
  std::string step = {};                              // of a substitute, an amendment or an answer: which step it is for
  std::string reason = {};                            // in the words of who asked; a cancel has its own
  bool only_check = false;                            // say whether it can be done, and do nothing
};
/// Who goes on with a chain. `unclean_start`: a coordinator that starts, and the process before it did not end in order.
enum class ResumedBy : std::uint8_t { person, start, unclean_start };
/// Load a chain and go on with it, unless that is under way.
struct ResumeChain {
  ChainId chain;
  ResumedBy by = ResumedBy::person;
  std::string reason = {};  // in the words of who asked, for the audit log
  bool only_check = false;  // say whether it can be done, and do nothing
};

struct VisitProgress {
  std::string step;
  std::uint32_t done = 0;
  std::uint32_t total = 0;
};
struct Progress {
  ChainId chain;
  engine::ChainStatus status = engine::ChainStatus::running;
  std::uint32_t steps_settled = 0;
  std::uint32_t steps_total = 0;
  std::uint64_t items_settled = 0;
  std::uint64_t items_total = 0;
  std::vector<VisitProgress> running;
  std::vector<std::string> unplaceable;  // why a step finds no worker at all
};
struct AskProgress {  // answered with Progress
  ChainId chain;
};
struct WakeUp {
  UnixMillis due = 0;
};
/// A fan-out's last orders have been out for a while: some may be stuck at a slow worker.
struct TailDue {
  UnixMillis due = 0;
};

}  // namespace catena::actors

// clang-format off
#define CATENA_LOCAL_MESSAGES(X) \
  X(Commit) X(Durable) X(Wanted) X(Ticket) X(TicketBack) X(ForgetChain) X(ChainForgotten) X(NodeGone) X(EvaluateStep) X(ShapeStep) X(RunGrant) X(StopGrant) X(ChildrenDue) X(StepEvaluated) \
  X(StepShaped) X(StepReport) X(StepNotes) X(ReportDurable) X(ChainEnded) X(Submission) X(Accepted) X(Control) X(ResumeChain) X(AwaitChain) X(Refused) X(Progress) X(AskProgress) \
  X(WakeUp) X(Claim) X(Claimed) X(AskRoom) X(Room) X(Unplaceable) X(NodeStatus) X(NodeCached) X(NodeParting) X(TicketsSettled) X(NodeControl) X(NodeControlled) X(GateOpen) X(AskNodes) X(Nodes) X(TakeGauges) X(GaugesTaken) \
  CATENA_EXPLAIN_MESSAGES(X) X(HoldChildren) X(RecallGrant) X(TailDue) \
  X(LineCame) X(GreetingDue) X(Greeted) X(SessionLink) X(EndSession) X(SessionEnded) X(FileAsked) X(FileAnswered) X(StopAdmitting) X(StopAwaiting) X(AnswerCall) X(CallAnswered) \
  X(BerthsWanted) X(BerthsGiven) X(BerthRefused) X(BerthsBack) X(CancelChild) X(GoOn) X(MemoryDue) X(EndChildren) X(LogsWait) X(LogsCame) X(LogsKept) X(EndLogs) \
  X(KeysDue) CATENA_SLEEP_MESSAGES(X) CATENA_FEED_MESSAGES(X) CATENA_HOUSEKEEPING_MESSAGES(X) CATENA_TOKEN_MESSAGES(X) CATENA_WEBHOOK_MESSAGES(X) CATENA_SCHEDULE_MESSAGES(X) CATENA_FORK_MESSAGES(X)
// clang-format on

#define CATENA_UNSAFE(name) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::name)
CATENA_LOCAL_MESSAGES(CATENA_UNSAFE)
#undef CATENA_UNSAFE

CAF_BEGIN_TYPE_ID_BLOCK(catena_local, catena_protocol_last_type_id + 1)
#define CATENA_ID(name) CAF_ADD_TYPE_ID(catena_local, (catena::actors::name))
CATENA_LOCAL_MESSAGES(CATENA_ID)
#undef CATENA_ID
CAF_END_TYPE_ID_BLOCK(catena_local)
