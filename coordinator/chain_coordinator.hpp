#pragma once
// Owns one chain: takes inputs, lets the engine decide, journals the events, and releases effects once they are durable. Evaluations
// that need no store and offers for tickets at hand are decided in the same turn, so that a step of a sequence costs one commit.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "actors/worker_offer.hpp"
#include "base/limits.hpp"
#include "coordinator/flat_set.hpp"
#include "coordinator/item_arguments.hpp"
#include "coordinator/records.hpp"
#include "coordinator/resting.hpp"
#include "coordinator/round_histories.hpp"
#include "coordinator/services.hpp"
#include "coordinator/short_chain.hpp"
#include "coordinator/strikes.hpp"
#include "coordinator/summaries.hpp"
#include "coordinator/task_notes.hpp"
#include "coordinator/ticket_book.hpp"
#include "coordinator/values.hpp"
#include "coordinator/watched_reads.hpp"
#include "engine/engine.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {

/// What a person asks of a chain that is not running: it is taken before anything is started again.
struct FirstControl {
  actors::Control control;
  caf::actor asker;
};

/// Of a chain that begins with what another one had come to.
struct ForkStart {
  actors::ForkChain fork;
  std::shared_ptr<const ForkBase> base;
};

/// What a chain coordinator is born with: a new chain's submission, a recovered state, or that of a chain that is forked.
struct ChainContext {
  std::shared_ptr<const Services> services;
  ChainId chain;
  std::shared_ptr<const lang::Package> package;
  std::string definition;
  engine::ChainState state;
  std::optional<Listed> listed;  // of a recovered chain
  Sequence checkpointed = 0;     // of one, too
  bool noted = true;             // tasks of it may have notes in the store
  storage::Durability durability = storage::Durability::sync;
  std::optional<FirstControl> first;
  std::optional<ForkStart> fork = {};
  std::int32_t priority = 0;
  std::optional<Millis> lead = {};  // of one that comes back within the same process: see Idle
  bool was_due = false;             // it slept until now: the supervisor hears Accepted once what was due is durable
  std::optional<bool> held = {};    // whether the chain above is paused, where one runs: it begins, or goes on, as that one is
};

/// Worker name under which child chains are granted: they are never lost, so neither is this worker.
inline const WorkerId kChainsWorker{std::string{actors::kChainsWorkerName}};
inline constexpr Incarnation kChainsIncarnation = 1;

class ChainShell {
 public:
  ChainShell(caf::event_based_actor* self, ChainContext context);

  /// A new chain begins; `asker` hears Accepted once that is durable.
  void start(const actors::Submission& submission, caf::actor asker);
  /// The same, with what another chain had come to: its state is what this one was born with. The supervisor hears Accepted. False: it heard
  /// Refused, and there is nothing to live for.
  [[nodiscard]] bool begin_fork(const ForkStart& start);
  /// A recovered chain goes on: everything outstanding is done again. Grants of workers are claimed where there is time to adopt them, else
  /// they are lost.
  void resume(std::optional<FirstControl> first, bool was_due, bool noted);

  void take(engine::Input input);
  void on_evaluated(const actors::StepEvaluated& answer);
  void on_shaped(const actors::StepShaped& answer);
  void on_report(const actors::StepReport& report);
  void on_notes(const actors::StepNotes& said);
  void on_ticket(const actors::Ticket& ticket);
  void on_claimed(const actors::Claimed& claimed);
  void on_node_gone(const actors::NodeGone& gone);
  void on_room(const actors::Room& room);
  void on_tail_due(UnixMillis due);
  void on_berths(const actors::BerthsGiven& given);
  void on_refusal(const VisitId& visit);
  void on_unplaceable(const actors::Unplaceable& unplaceable);
  void on_wake(UnixMillis alarm);
  void on_control(const actors::Control& control, caf::actor asker);
  void on_durable(actors::CommitNumber commit);
  void dismiss_steps();
  [[nodiscard]] const ChainId& chain() const { return chain_; }
  [[nodiscard]] const caf::actor& supervisor() const { return services_->supervisor; }
  [[nodiscard]] actors::Progress progress() const;
  /// Nothing is under way but child chains and timers, and nothing has come since the last call.
  [[nodiscard]] std::optional<actors::Idle> idle();
  /// False: something has come since idle() said so last.
  [[nodiscard]] bool may_sleep() const { return only_waits_; }
  /// What it leaves when it sleeps; null: too much of it stands in its records alone.
  [[nodiscard]] std::shared_ptr<const Resting> rest() const;
  /// Somebody looks at this chain: it stays in memory.
  void stay_awake() {
    has_met_something_ = true;
    only_waits_ = false;
  }
  /// Adds what it knows, and passes the question on to the dispatcher, which answers it.
  void explain(actors::AskExplain ask, caf::actor asker);

 private:
  /// What a visit has to start child chains with.
  struct Berths {
    std::uint32_t asked = 0;
    std::uint32_t free = 0;
    std::uint32_t refused = 0;
    actors::Besides told = actors::Besides::something;
  };
  /// What a visit runs child chains with that end in their first turn.
  struct Rounds {
    std::unique_ptr<const ShortProgram> program;
    ItemArguments arguments;
    std::optional<lang::JsonText> before;  // what the round before responded
    std::optional<bool> first_ones;        // no child of this visit was there before these; none: nobody has looked
  };
  struct Children {
    std::map<VisitId, Berths> berths;
    std::map<VisitId, std::unique_ptr<Rounds>> rounds;   // null: its children have coordinators of their own
    std::map<VisitId, actors::CommitNumber> unreadable;  // the commit that has its input records
    std::vector<storage::Notice> notices;                // of children that ended in this turn
    RoundHistories histories;                            // of those that ended in turns of this coordinator
    std::map<GrantId, actors::Berth> granted;            // what their child chains live on, where this coordinator has granted them
    bool changed = false;                                // the supervisor waits to hear what is wanted now
  };
  /// A report that is to be answered when it is durable.
  struct Heard {
    caf::actor from;
    GrantId grant = 0;
    IndexSet items;
  };
  struct RoundOf;
  struct Held {
    actors::CommitNumber commit = 0;
    engine::Effects effects;
    std::vector<caf::actor> accepted;
    std::vector<Heard> heard;
    std::vector<std::string> deliveries;           // of webhooks
    std::unique_ptr<const engine::Amend> amended;  // the priority, which is that of all descendants; null: it was not
  };
  struct Webhooks {
    std::vector<Webhook> own;
    std::vector<std::string> deliveries;  // of the turn at hand, by their ids
  };

  // chain_coordinator.cpp: a turn is one input and all that follows from it at once, journaled as one commit
  void begin_turn();
  void claim_or_lose_grants();
  [[nodiscard]] Result<void> push_control(const actors::Control& control);
  [[nodiscard]] Result<void> write_package(const std::map<std::string, std::string>& programs);
  void decide(const engine::Input& input, const actors::StepReport* report);
  [[nodiscard]] engine::Effects apply(const engine::Input& input, const actors::StepReport* report);
  void end_turn();
  void record(engine::Event event);
  [[nodiscard]] std::vector<storage::Notice> write_events();
  void write_deliveries(const storage::Notice& notice);
  [[nodiscard]] Webhooks& webhooks();
  void set_webhooks(std::vector<Webhook> own);
  [[nodiscard]] bool can_wait() const;
  void sort_effects(const engine::Effects& effects);
  void update_summary();
  void checkpoint();
  void commit(std::vector<storage::Notice> notices);
  /// The chain's own time: see engine/chain_time.hpp.
  [[nodiscard]] UnixMillis now() const { return services_->clock->now() + lead_.count(); }
  [[nodiscard]] engine::Input take_next();
  [[nodiscard]] engine::Input at_now(decltype(engine::Input::what) what) const { return {std::move(what), now()}; }
  [[nodiscard]] const lang::Step& step_of(const VisitId& visit) const { return prepared_.program->steps[visit.step]; }

  // chain_ledger.cpp: what is written of items
  void write_accepted(const IndexSet& accepted, const actors::StepReport& report);
  void write_said(const engine::Input& input, const IndexSet& accepted);
  bool write_notes(storage::Batch& batch, GrantId grant, Incarnation incarnation, const std::vector<actors::AttemptNote>& notes);
  void remove_results(const engine::Retry& retry);
  void take_answer(const engine::ApprovalAnswered& answered);

  // chain_effects.cpp: what is done with effects
  bool evaluate_now(const engine::Evaluate& evaluate);
  void evaluate_outputs();
  void use_signal(const engine::UseSignal& use);
  Records new_records();
  [[nodiscard]] Sources sources() const { return {*services_->kv, services_->files, services_->clock->now()}; }
  void wake(UnixMillis due);
  void set_alarm();
  void release(const engine::Effect& effect);
  void run(GrantId grant);
  void stop(const engine::Stop& stopped);
  void announce();
  void dismiss_idle_steps();
  void dismiss_opened(const engine::RetryRequested& retry);
  caf::actor step_actor_of(const VisitId& visit);

  // chain_computing.cpp: steps that run within a turn
  [[nodiscard]] bool computes(const VisitId& visit) const;
  [[nodiscard]] bool only_computes() const;
  void compute_in_turn(const VisitId& visit);
  void go_on_computing();
  void go_on_soon();

  // chain_tickets.cpp: tickets, how much goes out for one, and what comes back at the end of a fan-out
  void offer_tickets();
  void offer(const VisitId& visit, TicketBook::Lent lent);
  void ask_for_tickets();
  void ask_anew();
  [[nodiscard]] bool waits_for_berths(const VisitId& visit) const;
  void return_tickets();
  void return_unsent(const actors::NodeGone& gone);
  void give_back(const actors::Ticket& ticket);
  void reuse_ticket_of(GrantId grant);
  void learn(const actors::StepReport& report);
  [[nodiscard]] bool fits(const actors::Ticket& ticket, const VisitId& visit) const;
  /// Without a worker: in the mean over all.
  [[nodiscard]] std::uint32_t order_items(const VisitId& visit, const WorkerId* worker = nullptr) const;
  void watch_tail(const VisitId& visit, std::int64_t after_ms);
  void look_at_tail(const VisitId& visit);
  void forget_tail(const VisitId& visit);

  // chain_children.cpp: berths, and the child chains that are started with them
  [[nodiscard]] Children& children();
  void offer_children(const VisitId& visit);
  [[nodiscard]] std::uint32_t grant_children(const VisitId& visit, std::uint32_t items, actors::Berth berth);
  void ask_for_berths();
  [[nodiscard]] std::uint32_t startable(const VisitId& visit) const;
  [[nodiscard]] bool composes(const VisitId& visit) const { return std::holds_alternative<lang::ProgramCall>(step_of(visit).call); }
  [[nodiscard]] actors::Besides besides() const;
  void run_children(actors::RunGrant run, const engine::Grant& grant);

  // chain_rounds.cpp: child chains that end in their first turn, which is one of this chain
  [[nodiscard]] Rounds* rounds_of(const VisitId& visit);
  [[nodiscard]] bool ends_in_turn(const VisitId& visit) const;
  [[nodiscard]] bool run_rounds(const VisitId& visit);
  [[nodiscard]] bool run_rounds(const VisitId& visit, Rounds& rounds, std::uint32_t count, const WatchedReads& reads);
  [[nodiscard]] bool run_round(const RoundOf& of, ItemIndex item, actors::StepReport& report);

  caf::event_based_actor* self_;
  std::shared_ptr<const Services> services_;
  ChainId chain_;
  std::shared_ptr<const lang::Package> package_;
  engine::PreparedProgram prepared_;
  engine::ChainState state_;
  Millis lead_;                                  // of the chain's time over the clock
  std::optional<storage::IndexedAs> indexed_;    // none: it has no summary yet
  std::optional<std::uint32_t> settled_listed_;  // steps that its summary counts as settled; none: it may be wrong
  std::optional<Strikes> strikes_;               // that its summary keeps for as long as the status stays

  // of the turn at hand
  std::shared_ptr<storage::Batch> batch_;
  engine::Effects after_durable_;
  std::vector<engine::Input> next_;  // inputs that follow from those before; a chain that waits holds no memory for them
  std::vector<caf::actor> accepted_;
  std::vector<Heard> heard_;
  std::unique_ptr<const engine::Amend> amended_;  // null: it was not

  std::vector<engine::Event> events_;  // what was decided, and is not in a batch yet
  Sequence checkpointed_ = 0;
  actors::CommitNumber last_commit_ = 0;
  std::vector<Held> held_;
  std::map<VisitId, caf::actor> steps_;
  TicketBook tickets_;
  TaskNotes notes_;
  FlatSet<GrantId> unclaimed_;  // their workers may run them still: they wait for Claimed or NodeGone
  FlatSet<VisitId> demanding_;
  std::vector<VisitId> settled_;  // visits whose step actors may go
  std::set<UnixMillis> dues_;     // when the engine wants to be woken
  UnixMillis alarm_ = 0;          // when the clock is looked at next for that; 0: nothing is due

  std::int32_t priority_ = 0;
  storage::Durability durability_;
  bool summary_due_ = false;       // of the turn at hand
  bool has_met_something_ = true;  // since it was asked whether it only waits
  bool only_waits_ = false;        // it has said so, and nothing has come since
  bool has_slept_;                 // it has come back within the same process
  std::optional<bool> held_at_birth_;
  std::uint16_t computed_ = 0;                              // steps in this turn
  std::uint16_t computed_below_ = 0;                        // the same in child chains
  bool computes_later_ = false;                             // in another turn: there were too many for this one, or something is not durable yet
  bool is_full_ = false;                                    // the turn at hand: there were too many for it
  GrantId grants_after_ = 0;                                // new grants get numbers above it
  std::vector<std::shared_ptr<const engine::Need>> needs_;  // by step
  std::map<VisitId, std::shared_ptr<const engine::Reason>> unplaceable_;
  std::unique_ptr<Webhooks> webhooks_;                     // null: it has none of its own, and nothing was delivered
  std::unique_ptr<storage::ChainSummary> summary_at_end_;  // null: it has not ended, or nobody asks
  std::unique_ptr<Children> children_;                     // null: it has started none, and most chains never do
};

struct ChainCoordinatorState {
  std::unique_ptr<ChainShell> shell;
  static inline const char* name = "chain";
};

caf::behavior chain_coordinator(caf::stateful_actor<ChainCoordinatorState>* self, ChainContext context);

}  // namespace catena::coordinator
