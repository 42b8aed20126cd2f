// What a chain coordinator does with effects, and with the tickets that let it send work out.
#include <algorithm>
#include <chrono>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/step_actor.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"
#include "lang/step_traits.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kFirstOrderItems = 4;  // before anything is known of how long an item takes
constexpr std::size_t kDismissedTogether = 64;
constexpr std::uint32_t kTicketsAskedMax = 64;  // of one visit, at a time

bool runs_chains(const lang::Step& step) { return std::holds_alternative<lang::ProgramCall>(step.call); }

}  // namespace

// ---- evaluation -----------------------------------------------------------------------------------------------------

/// False when the step's expressions read the store: then what they read has to be durable first, and a step actor does it.
bool ChainShell::evaluate_now(const engine::Evaluate& evaluate) {
  if (reads_store(*plan_.program, state_, evaluate.visit.step)) return false;
  const ChainScope scope{sources(), chain_, *plan_.program, state_};
  auto records = new_records();
  next_.push_back(at_now(evaluate_step(*plan_.program, chain_, evaluate.visit, scope, records)));
  batch_->append(*records.take());
  return true;
}

Records ChainShell::new_records() {
  return Records{[this](Records::Batch batch) { self_->send(services_->journal, spilled(std::move(batch), durability_)); }};
}

void ChainShell::evaluate_outputs() {
  auto records = new_records();
  next_.push_back(at_now(coordinator::evaluate_outputs({*package_, *plan_.program, chain_, state_, sources()}, records)));
  batch_->append(*records.take());
}

void ChainShell::wake(UnixMillis due) {
  const auto left = due - now();
  if (left > 0) {
    self_->delayed_send(self_, std::chrono::milliseconds{left}, actors::WakeUp{due});
  } else {
    next_.push_back(at_now(engine::TimerDue{}));
  }
}

void ChainShell::take_wake(UnixMillis due) {
  begin_turn();
  wake(due);
  end_turn();
}

// ---- tickets --------------------------------------------------------------------------------------------------------

void ChainShell::take_ticket(const actors::Ticket& ticket) {
  begin_turn();
  auto& asked = paces_[ticket.visit].asked;
  if (asked > 0) --asked;
  free_.push_back({ticket, now()});
  end_turn();
}

void ChainShell::take_node_gone(const actors::NodeGone& gone) {
  const auto there = [&](const Lent& lent) { return lent.ticket.worker == gone.worker && lent.ticket.incarnation == gone.incarnation; };
  std::erase_if(lent_, [&](const auto& entry) { return there(entry.second); });
  std::erase_if(free_, there);
  take(at_now(engine::WorkerLost{gone.worker, gone.incarnation, {}}));
  std::erase_if(unclaimed_, [&](GrantId id) { return !state_.grants.contains(id); });
}

/// The worker has the grant still: it is told again, for it may not have heard, and reports to who asks now.
void ChainShell::take_claimed(const actors::Claimed& claimed) {
  begin_turn();
  const auto grant = state_.grants.find(claimed.grant);
  if (grant == state_.grants.end() || unclaimed_.erase(claimed.grant) == 0) {
    free_.push_back({claimed.ticket, now()});
  } else {
    lent_.insert_or_assign(claimed.grant, Lent{claimed.ticket, now()});
    after_durable_.emplace_back(engine::Run{claimed.grant});
    if (engine::stopping(plan_, state_, grant->second)) after_durable_.emplace_back(engine::Stop{claimed.grant});
  }
  end_turn();
}

void ChainShell::offer_tickets() {
  const auto visits = demanding_;  // offers change it
  for (const auto& visit : visits) {
    const auto& state = state_.steps[visit.step];
    const bool open = !engine::halted(state_) && state.visit == visit.visit && engine::grantable(step_of(visit), state) > 0;
    if (!open) {
      demanding_.erase(visit);
    } else if (runs_chains(step_of(visit))) {
      offer_children(visit);
    } else {
      while (!free_.empty() && engine::grantable(step_of(visit), state) > 0) {
        const auto lent = std::move(free_.back());
        free_.pop_back();
        offer(visit, lent);
      }
    }
  }
}

void ChainShell::offer(const VisitId& visit, const Lent& lent) {
  const auto last = state_.last_grant;
  decide(at_now(engine::Offer{visit, lent.ticket.worker, lent.ticket.incarnation, order_items(visit)}), nullptr);
  if (state_.last_grant != last) lent_.emplace(state_.last_grant, lent);
}

void ChainShell::offer_children(const VisitId& visit) {
  const auto at_a_time = services_->settings.children_at_a_time;
  const auto in_flight = state_.steps[visit.step].in_flight;
  if (in_flight >= at_a_time) return;
  decide(at_now(engine::Offer{visit, kChainsWorker, kChainsIncarnation, at_a_time - in_flight}), nullptr);
}

/// As many items as keep a slot busy for a while; fewer towards the end, so that all slots end together.
std::uint32_t ChainShell::order_items(const VisitId& visit) const {
  const auto& step = step_of(visit);
  if (!step.each || step.effect == lang::EffectClass::at_most_once) return 1;
  const auto& state = state_.steps[visit.step];
  const auto pace = paces_.find(visit);
  auto items = kFirstOrderItems;
  if (pace != paces_.end() && pace->second.us_per_item > 0) {
    const auto fitting = static_cast<double>(services_->settings.order_target_us) / pace->second.us_per_item;
    items = static_cast<std::uint32_t>(std::clamp(fitting, 1.0, static_cast<double>(services_->settings.order_items_max)));
  }
  constexpr std::uint32_t kOrdersLeft = 8;
  const auto left = state.width - state.ok.count() - state.bad.count();
  return std::clamp(left / kOrdersLeft, 1U, items);
}

void ChainShell::ask_for_tickets() {
  for (const auto& visit : demanding_) {
    if (runs_chains(step_of(visit))) continue;
    const auto items = order_items(visit);
    const auto orders = (engine::grantable(step_of(visit), state_.steps[visit.step]) + items - 1) / items;
    const auto useful = std::min(orders, kTicketsAskedMax);
    auto& asked = paces_[visit].asked;
    if (useful == 0 || (asked > 0 && useful <= 2 * asked)) continue;
    asked = useful;
    self_->send(services_->dispatcher, actors::Wanted{visit, useful});
  }
}

/// A grant that is done leaves its ticket for the next, until others should have a turn.
void ChainShell::reuse_ticket_of(GrantId grant) {
  const auto lent = lent_.find(grant);
  if (lent == lent_.end() || state_.grants.contains(grant)) return;
  free_.push_back(std::move(lent->second));
  lent_.erase(lent);
  if (now() - free_.back().since > services_->settings.ticket_kept_ms) {
    self_->send(services_->dispatcher, actors::TicketBack{free_.back().ticket.worker, free_.back().ticket.incarnation});
    free_.pop_back();
  }
}

void ChainShell::return_tickets() {
  for (const auto& lent : free_) self_->send(services_->dispatcher, actors::TicketBack{lent.ticket.worker, lent.ticket.incarnation});
  free_.clear();
}

// ---- effects that are durable -----------------------------------------------------------------------------------------

void ChainShell::release(const engine::Effect& effect) {
  if (const auto* evaluate = std::get_if<engine::Evaluate>(&effect)) {
    self_->send(step_actor_of(evaluate->visit), actors::EvaluateStep{std::make_shared<const engine::ChainState>(state_)});
  } else if (std::holds_alternative<engine::EvaluateOutputs>(effect)) {
    begin_turn();
    evaluate_outputs();
    end_turn();
  } else if (const auto* shape = std::get_if<engine::Shape>(&effect)) {
    self_->send(step_actor_of(shape->visit), actors::ShapeStep{std::make_shared<const engine::ChainState>(state_)});
  } else if (const auto* started = std::get_if<engine::Run>(&effect)) {
    run(started->grant);
  } else if (const auto* stopped = std::get_if<engine::Stop>(&effect)) {
    stop(stopped->grant);
  } else {
    announce();
  }
}

void ChainShell::run(GrantId id) {
  const auto grant = state_.grants.find(id);
  if (grant == state_.grants.end() || unclaimed_.contains(id)) return;
  const auto& visit = grant->second.visit;
  actors::RunGrant order;
  order.grant = id;
  order.worker = grant->second.worker;
  order.incarnation = grant->second.incarnation;
  order.items = grant->second.open;
  if (const auto lent = lent_.find(id); lent != lent_.end()) order.node = lent->second.ticket.node;
  const auto& tries = state_.steps[visit.step].tries;
  if (!tries.empty()) {
    order.items.for_each([&](ItemIndex item) {
      const auto known = tries.find(item);
      if (known != tries.end()) order.attempts.emplace_back(item, known->second.all() + 1);
    });
  }
  order.since = state_.steps[visit.step].entered_at;
  const auto& step = step_of(visit);
  if (!step.each && (!step.writes.empty() || lang::shape_sees_chain(step)))
    order.state = std::make_shared<const engine::ChainState>(state_);
  self_->send(step_actor_of(visit), std::move(order));
}

void ChainShell::stop(GrantId id) {
  const auto grant = state_.grants.find(id);
  if (grant != state_.grants.end() && !unclaimed_.contains(id)) self_->send(step_actor_of(grant->second.visit), actors::StopGrant{id});
}

void ChainShell::announce() {
  self_->send(services_->supervisor, actors::ChainEnded{chain_, state_.status, state_.response, state_.error});
  for (const auto& [visit, actor] : steps_) self_->send_exit(actor, caf::exit_reason::user_shutdown);
  steps_.clear();
}

caf::actor ChainShell::step_actor_of(const VisitId& visit) {
  auto& actor = steps_[visit];
  if (!actor) {
    StepContext context;
    context.services = services_;
    context.coordinator = caf::actor_cast<caf::actor>(self_);
    context.chain = chain_;
    context.depth = state_.depth;
    context.package = package_;
    context.program = plan_.program;
    context.visit = visit;
    context.arguments = state_.steps[visit.step].arguments;
    context.context = state_.context;
    context.durability = durability_;
    actor = self_->spawn<caf::monitored>(step_actor, std::move(context));
  }
  return actor;
}

/// A step actor lives as long as its visit has something open. They leave in groups: each farewell wakes the scheduler's clock.
void ChainShell::dismiss_idle_steps() {
  if (settled_.size() < kDismissedTogether) return;
  for (const auto& visit : settled_) {
    paces_.erase(visit);
    const auto actor = steps_.find(visit);
    if (actor == steps_.end()) continue;
    const bool busy = std::ranges::any_of(state_.grants, [&](const auto& grant) { return grant.second.visit == visit; });
    if (busy) continue;
    self_->send_exit(actor->second, caf::exit_reason::user_shutdown);
    steps_.erase(actor);
  }
  settled_.clear();
}

}  // namespace catena::coordinator
