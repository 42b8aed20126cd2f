// What a chain coordinator does with the tickets that let it send work out: who gets them, how much goes out for one, and what is asked
// back when a fan-out is near its end and others have nothing to do.
#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <chrono>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/families.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kVisitsExplained = 1'000;  // of which the dispatcher looks for the reasons

bool runs_chains(const lang::Step& step) { return std::holds_alternative<lang::ProgramCall>(step.call); }

/// Some steps are only ever handed out one by one.
bool one_by_one(const lang::Step& step) { return !step.each || step.effect == lang::EffectClass::at_most_once; }

}  // namespace

// ---- what is out when the chain comes back ------------------------------------------------------------------------------

void ChainShell::claim_or_lose_grants() {
  std::map<WorkerId, std::set<Incarnation>> gone;
  for (const auto& [id, grant] : state_.grants) {
    if (grant.worker == kChainsWorker) continue;
    if (services_->settings.adopt_ms > 0) {
      unclaimed_.insert(id);
      self_->send(services_->dispatcher, actors::Claim{id, grant.visit, grant.worker, grant.incarnation, family_of(chain_)});
    } else {
      gone[grant.worker].insert(grant.incarnation);
    }
  }
  for (const auto& [worker, incarnations] : gone) {
    for (const auto incarnation : incarnations) next_.push_back(at_now(engine::WorkerLost{worker, incarnation, {}}));
  }
}

// ---- tickets come and go --------------------------------------------------------------------------------------------

void ChainShell::on_ticket(const actors::Ticket& ticket) {
  begin_turn();
  tickets_.add(ticket, now());
  end_turn();
}

void ChainShell::offer_tickets() {
  const auto visits = demanding_;  // offers change it
  for (const auto& visit : visits) {
    const auto& step = step_of(visit);
    const auto& state = state_.steps[visit.step];
    const bool current = !engine::halted(prepared_, state_, visit.step) && state.visit == visit.visit;
    if (current && runs_chains(step)) offer_children(visit);
    while (current && !runs_chains(step) && engine::grantable(step, state) > 0) {
      if (computes(visit)) {
        compute_in_turn(visit);
        break;
      }
      auto lent = tickets_.take_free([&](const actors::Ticket& ticket) { return fits(ticket, visit); });
      if (!lent) break;
      offer(visit, std::move(*lent));
    }
    if (current && engine::grantable(step, state) > 0) continue;
    demanding_.erase(visit);
    unplaceable_.erase(visit);
    if (engine::halted(prepared_, state_, visit.step) && tickets_.withdraw(visit))  // it waits for no worker: nobody is to be told that it does
      self_->send(services_->dispatcher, actors::Wanted{visit, 0, needs_[visit.step], priority_, prepared_.urgency[visit.step], family_of(chain_)});
    if (current && state.in_flight > 0) watch_tail(visit, tickets_.tail_age_ms());
  }
}

bool ChainShell::fits(const actors::Ticket& ticket, const VisitId& visit) const {
  const auto& asked_for = needs_[ticket.visit.step];
  const auto& need = needs_[visit.step];
  return asked_for == need || *asked_for == *need || (ticket.offered && engine::satisfies(*ticket.offered, *need));
}

void ChainShell::offer(const VisitId& visit, TicketBook::Lent lent) {
  const auto last = state_.last_grant;
  const auto& worker = lent.ticket.worker;
  decide(at_now(engine::Offer{visit, worker, lent.ticket.incarnation, order_items(visit, &worker), grants_after_}), nullptr);
  if (state_.last_grant != last) tickets_.lend(state_.last_grant, std::move(lent));
}

/// At a priority that has changed: what is asked for takes the place of what was.
void ChainShell::ask_anew() {
  priority_ = state_.priority.value_or(priority_);
  summary_due_ = true;
  tickets_.ask_anew();
}

void ChainShell::ask_for_tickets() {
  for (const auto& visit : demanding_) {
    if (runs_chains(step_of(visit)) || computes(visit)) continue;
    const auto items = order_items(visit);
    const auto orders = (engine::grantable(step_of(visit), state_.steps[visit.step]) + items - 1) / items;
    const auto useful = tickets_.ask(visit, orders);
    if (useful == 0) continue;
    self_->send(services_->dispatcher,
                actors::Wanted{visit, useful, needs_[visit.step], priority_, prepared_.urgency[visit.step], family_of(chain_)});
  }
}

/// A grant that is done leaves its ticket for the next, until others should have a turn.
void ChainShell::reuse_ticket_of(GrantId grant) {
  if (state_.grants.contains(grant)) return;
  if (const auto ticket = tickets_.finish(grant, now())) give_back(*ticket);
}

void ChainShell::give_back(const actors::Ticket& ticket) {
  self_->send(services_->dispatcher, actors::TicketBack{ticket.worker, ticket.incarnation});
}

void ChainShell::return_tickets() {
  for (const auto& ticket : tickets_.return_free()) give_back(ticket);
}

/// A grant that waited for its record to be durable never left: it cannot have begun.
void ChainShell::return_unsent(const actors::NodeGone& gone) {
  std::vector<engine::Report> unsent;
  for (const auto id : tickets_.unsent(gone.worker, gone.incarnation)) {
    const auto grant = state_.grants.find(id);
    if (grant == state_.grants.end()) continue;
    engine::Report report{id, grant->second.incarnation, {}};
    grant->second.open.for_each([&](ItemIndex item) {
      auto& returned = report.items.emplace_back();
      returned.item = item;
      returned.outcome = engine::Outcome::returned;
      returned.error = make_error(Code::given_back, "its worker left before it was sent");
    });
    unsent.push_back(std::move(report));
  }
  for (auto& report : unsent) take(at_now(std::move(report)));
}

void ChainShell::on_node_gone(const actors::NodeGone& gone) {
  return_unsent(gone);
  tickets_.drop(gone.worker, gone.incarnation);
  take(at_now(engine::WorkerLost{gone.worker, gone.incarnation, {}}));
  unclaimed_.erase_where([&](GrantId id) { return !state_.grants.contains(id); });
  tickets_.forget_ended(state_.grants);
}

/// The worker has the grant still: it is told again, for it may not have heard, and reports to who asks now.
void ChainShell::on_claimed(const actors::Claimed& claimed) {
  begin_turn();
  const auto grant = state_.grants.find(claimed.grant);
  if (grant == state_.grants.end() || unclaimed_.erase(claimed.grant) == 0) {
    tickets_.add_unasked(claimed.ticket, now());
  } else {
    tickets_.claim(claimed.grant, claimed.ticket, now());
    after_durable_.emplace_back(engine::Run{claimed.grant});
    if (engine::stopping(prepared_, state_, grant->second)) after_durable_.emplace_back(engine::Stop{claimed.grant, state_.cancelling_now});
    watch_tail(grant->second.visit, tickets_.tail_age_ms());
  }
  end_turn();
}

// ---- how much goes out ----------------------------------------------------------------------------------------------

/// What a report says of how long an item takes at its worker, and how large it is.
void ChainShell::learn(const actors::StepReport& report) {
  const auto grant = state_.grants.find(report.report.grant);
  if (grant == state_.grants.end() || grant->second.incarnation != report.report.incarnation) return;
  if (report.given_back) tickets_.spend(grant->first);
  const auto ran = std::ranges::count_if(report.report.items, [](const auto& item) { return item.outcome != engine::Outcome::returned; });
  if (ran > 0 && grant->second.worker != kChainsWorker)
    services_->metrics->observe(Metric::attempt_duration, report.took_us / ran, static_cast<std::uint64_t>(ran));
  tickets_.learn(report.visit, grant->second.worker, ran, report.took_us, report.item_bytes);
}

std::uint32_t ChainShell::order_items(const VisitId& visit, const WorkerId* worker) const {
  if (one_by_one(step_of(visit))) return 1;
  const auto& state = state_.steps[visit.step];
  return tickets_.order_items(visit, state.width - state.ok.count() - state.bad.count(), worker);
}

// ---- the tail of a fan-out ------------------------------------------------------------------------------------------

void ChainShell::watch_tail(const VisitId& visit, std::int64_t after_ms) {
  const auto due = now() + after_ms;
  if (!runs_chains(step_of(visit)) && tickets_.watch(visit, due))
    self_->delayed_send(self_, std::chrono::milliseconds{after_ms}, actors::TailDue{due});
}

void ChainShell::forget_tail(const VisitId& visit) {
  tickets_.unwatch(visit);
  if (tickets_.helped(visit)) self_->send(services_->dispatcher, actors::AskRoom{visit, nullptr, {}});
}

void ChainShell::on_tail_due(UnixMillis due) {
  for (const auto& visit : tickets_.looks_due(due)) look_at_tail(visit);
  if (const auto next = tickets_.next_look())
    self_->delayed_send(self_, std::chrono::milliseconds{std::max<std::int64_t>(*next - now(), 1)}, actors::TailDue{*next});
}

/// Nothing is left to give out, and some orders have been out for long: is there anybody who could do some of the worst of them?
void ChainShell::look_at_tail(const VisitId& visit) {
  const auto& state = state_.steps[visit.step];
  if (engine::halted(prepared_, state_, visit.step) || state.visit != visit.visit || state.status != engine::VisitStatus::running) return;
  if (engine::grantable(step_of(visit), state) > 0) return;  // when it has nothing more it is looked at again
  const auto tail = tickets_.look(visit, state_.grants, now());
  if (tail.worst) {
    self_->send(services_->dispatcher, actors::AskRoom{visit, needs_[visit.step], *tail.worst});
  } else if (tail.again_ms > 0) {
    watch_tail(visit, tail.again_ms);
  }
}

/// There is: what that worker has not begun comes back, as much as the others have slots for.
void ChainShell::on_room(const actors::Room& room) {
  const auto worker = tickets_.helped(room.visit);
  const auto& state = state_.steps[room.visit.step];
  if (!worker || engine::halted(prepared_, state_, room.visit.step) || state.visit != room.visit.visit) return;
  if (engine::grantable(step_of(room.visit), state) > 0) return;
  for (const auto id : tickets_.recall(room.visit, *worker, state_.grants, room.slots, now())) {
    self_->send(step_actor_of(room.visit), actors::RecallGrant{id});
  }
  watch_tail(room.visit, tickets_.tail_age_ms());  // others may be as slow
}

// ---- why nothing moves ----------------------------------------------------------------------------------------------

void ChainShell::on_unplaceable(const actors::Unplaceable& unplaceable) {
  if (unplaceable.why) {
    unplaceable_[unplaceable.visit] = unplaceable.why;
  } else {
    unplaceable_.erase(unplaceable.visit);
  }
}

/// Children of the visit could be started, and there is no room for them.
bool ChainShell::waits_for_berths(const VisitId& visit) const {
  if (!children_) return false;
  const auto known = children_->berths.find(visit);
  return known != children_->berths.end() && known->second.asked > 0 && known->second.free == 0;
}

void ChainShell::explain(actors::AskExplain ask, caf::actor asker) {
  actors::ExplainWants wants;
  const auto concerns = [&](const VisitId& visit) { return ask.step.empty() || step_of(visit).id == ask.step; };
  // The supervisor says of itself that it starts no chains: that keeps children from beginning, and nothing else.
  std::optional<engine::Reason> closed;
  std::erase_if(ask.reasons, [&](engine::Reason& reason) {
    if (reason.code != engine::ReasonCode::admission_closed) return false;
    closed = std::move(reason);
    return true;
  });
  for (const auto& visit : demanding_) {
    if (!concerns(visit)) continue;
    if (!runs_chains(step_of(visit))) {
      if (wants.visits.size() == kVisitsExplained) continue;
      wants.visits.emplace_back(visit, step_of(visit).id);
    } else if (waits_for_berths(visit)) {
      engine::Reason waits{.code = engine::ReasonCode::family_limit, .step = step_of(visit).id, .chain = family_of(chain_)};
      if (closed) waits = *closed, waits.step = step_of(visit).id;
      ask.reasons.push_back(std::move(waits));
    }
  }
  for (const auto id : unclaimed_) {
    const auto grant = state_.grants.find(id);
    if (grant == state_.grants.end() || !concerns(grant->second.visit)) continue;
    ask.reasons.push_back(
        {.code = engine::ReasonCode::worker_away, .step = step_of(grant->second.visit).id, .worker = grant->second.worker, .at = grant->second.at});
  }
  wants.ask = std::move(ask);
  wants.asker = std::move(asker);
  self_->send(services_->dispatcher, std::move(wants));
}

}  // namespace catena::coordinator
