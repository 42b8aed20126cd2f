// What a chain coordinator does with the tickets that let it send work out: who gets them, how much goes out for one, and what is asked
// back when a fan-out is near its end and others have nothing to do.
#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <chrono>
#include <limits>

#include "coordinator/chain_coordinator.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kFirstOrderItems = 4;   // before anything is known of how long an item takes
constexpr std::uint32_t kFirstAtWorker = 64;    // before anything is known of how long it takes there
constexpr std::uint32_t kTicketsAskedMax = 64;  // of one visit, at a time
constexpr double kShortestItemUs = 1.0;
constexpr std::int64_t kTailTargets = 3;  // an order that is out for so many times what it was meant for may be stuck

bool runs_chains(const lang::Step& step) { return std::holds_alternative<lang::ProgramCall>(step.call); }

/// Some steps are only ever handed out one by one.
bool one_by_one(const lang::Step& step) { return !step.each || step.effect == lang::EffectClass::at_most_once; }

void blend(double& mean, double newest) {
  constexpr double kWeight = 0.3;  // of the newest in the moving mean
  mean = mean == 0 ? newest : mean + kWeight * (newest - mean);
}

}  // namespace

// ---- tickets come and go --------------------------------------------------------------------------------------------

void ChainShell::on_ticket(const actors::Ticket& ticket) {
  begin_turn();
  auto& asked = paces_[ticket.visit].asked;
  if (asked > 0) --asked;
  free_.push_back({.ticket = ticket, .since = now()});
  end_turn();
}

void ChainShell::offer_tickets() {
  const auto visits = demanding_;  // offers change it
  for (const auto& visit : visits) {
    const auto& step = step_of(visit);
    const auto& state = state_.steps[visit.step];
    const bool current = !engine::halted(state_) && state.visit == visit.visit;
    if (current && runs_chains(step)) offer_children(visit);
    while (current && !runs_chains(step) && engine::grantable(step, state) > 0) {
      const auto last = std::ranges::find_if(free_.rbegin(), free_.rend(), [&](const Lent& lent) { return fits(lent, visit); });
      if (last == free_.rend()) break;
      const auto lent = std::move(*last);
      free_.erase(std::next(last).base());
      offer(visit, lent);
    }
    if (current && engine::grantable(step, state) > 0) continue;
    demanding_.erase(visit);
    unplaceable_.erase(visit);
    if (current && state.in_flight > 0) watch_tail(visit, tail_age_ms());
  }
}

bool ChainShell::fits(const Lent& lent, const VisitId& visit) const {
  const auto& asked_for = needs_[lent.ticket.visit.step];
  const auto& need = needs_[visit.step];
  return asked_for == need || *asked_for == *need || (lent.ticket.offered && engine::satisfies(*lent.ticket.offered, *need));
}

void ChainShell::offer(const VisitId& visit, const Lent& lent) {
  const auto last = state_.last_grant;
  const auto& worker = lent.ticket.worker;
  decide(at_now(engine::Offer{visit, worker, lent.ticket.incarnation, order_items(visit, &worker), grants_after_}), nullptr);
  if (state_.last_grant != last) lent_.emplace(state_.last_grant, lent);
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
    self_->send(services_->dispatcher, actors::Wanted{visit, useful, needs_[visit.step], priority_, prepared_.urgency[visit.step], family_});
  }
}

/// A grant that is done leaves its ticket for the next, until others should have a turn.
void ChainShell::reuse_ticket_of(GrantId grant) {
  if (state_.grants.contains(grant)) return;
  recalled_.erase(grant);
  const auto entry = lent_.extract(grant);
  if (entry.empty()) return;
  auto& lent = entry.mapped();
  if (lent.spent || now() - lent.since > services_->settings.ticket_kept_ms) return give_back(lent);
  free_.push_back({.ticket = std::move(lent.ticket), .since = lent.since});
}

void ChainShell::give_back(const Lent& lent) { self_->send(services_->dispatcher, actors::TicketBack{lent.ticket.worker, lent.ticket.incarnation}); }

void ChainShell::return_tickets() {
  for (const auto& lent : free_) give_back(lent);
  free_.clear();
}

bool ChainShell::is_of(const Lent& lent, const actors::NodeGone& gone) {
  return lent.ticket.worker == gone.worker && lent.ticket.incarnation == gone.incarnation;
}

/// A grant that waited for its record to be durable never left: it cannot have begun.
void ChainShell::return_unsent(const actors::NodeGone& gone) {
  std::vector<engine::Report> unsent;
  for (const auto& [id, lent] : lent_) {
    const auto grant = state_.grants.find(id);
    if (!is_of(lent, gone) || lent.sent != 0 || lent.claimed || grant == state_.grants.end()) continue;
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
  std::erase_if(lent_, [&](const auto& entry) { return is_of(entry.second, gone); });
  std::erase_if(free_, [&](const Lent& lent) { return is_of(lent, gone); });
  take(at_now(engine::WorkerLost{gone.worker, gone.incarnation, {}}));
  std::erase_if(unclaimed_, [&](GrantId id) { return !state_.grants.contains(id); });
  std::erase_if(recalled_, [&](GrantId id) { return !state_.grants.contains(id); });
}

/// The worker has the grant still: it is told again, for it may not have heard, and reports to who asks now.
void ChainShell::on_claimed(const actors::Claimed& claimed) {
  begin_turn();
  const auto grant = state_.grants.find(claimed.grant);
  if (grant == state_.grants.end() || unclaimed_.erase(claimed.grant) == 0) {
    free_.push_back({.ticket = claimed.ticket, .since = now()});
  } else {
    lent_.insert_or_assign(claimed.grant, Lent{.ticket = claimed.ticket, .since = now(), .claimed = true});
    after_durable_.emplace_back(engine::Run{claimed.grant});
    if (engine::stopping(prepared_, state_, grant->second)) after_durable_.emplace_back(engine::Stop{claimed.grant});
    watch_tail(grant->second.visit, tail_age_ms());
  }
  end_turn();
}

// ---- how much goes out ----------------------------------------------------------------------------------------------

/// What a report says of how long an item takes at its worker, and how large it is.
void ChainShell::learn(const actors::StepReport& report) {
  const auto grant = state_.grants.find(report.report.grant);
  if (grant == state_.grants.end() || grant->second.incarnation != report.report.incarnation) return;
  if (report.given_back) {
    if (const auto lent = lent_.find(grant->first); lent != lent_.end()) lent->second.spent = true;
  }
  auto& pace = paces_[report.visit];
  if (report.item_bytes > 0) blend(pace.bytes_per_item, static_cast<double>(report.item_bytes));
  const auto ran = std::ranges::count_if(report.report.items, [](const auto& item) { return item.outcome != engine::Outcome::returned; });
  if (ran == 0) return;
  const auto took = std::max(kShortestItemUs, static_cast<double>(report.took_us) / static_cast<double>(ran));
  blend(pace.us_per_item, took);
  blend(pace.at[grant->second.worker], took);
}

/// As many items as keep a slot of that worker busy for a while and are not too large together; fewer towards the end, so that all slots
/// end together.
std::uint32_t ChainShell::order_items(const VisitId& visit, const WorkerId* worker) const {
  if (one_by_one(step_of(visit))) return 1;
  const auto& settings = services_->settings;
  const auto fitting = [&](double us) {
    return std::clamp(static_cast<double>(settings.order_target_us) / us, 1.0, static_cast<double>(settings.order_items_max));
  };
  double items = kFirstOrderItems;
  if (const auto known = paces_.find(visit); known != paces_.end()) {
    const auto& pace = known->second;
    if (pace.us_per_item > 0) items = fitting(pace.us_per_item);
    if (worker != nullptr && pace.us_per_item > 0) {
      const auto there = pace.at.find(*worker);
      items = there == pace.at.end() ? std::min<double>(items, kFirstAtWorker) : fitting(there->second);
    }
    if (pace.bytes_per_item > 0) items = std::min(items, std::max(1.0, static_cast<double>(settings.order_bytes_max) / pace.bytes_per_item));
  }
  constexpr std::size_t kOrdersLeft = 8;
  const auto& state = state_.steps[visit.step];
  const auto left = state.width - state.ok.count() - state.bad.count();
  const auto share = static_cast<std::uint32_t>(left / std::max(kOrdersLeft, lent_.size()));
  return std::clamp(share, 1U, static_cast<std::uint32_t>(items));
}

// ---- the tail of a fan-out ------------------------------------------------------------------------------------------

std::int64_t ChainShell::tail_age_ms() const { return std::max<std::int64_t>(kTailTargets * services_->settings.order_target_us / 1000, 1); }

void ChainShell::watch_tail(const VisitId& visit, std::int64_t after_ms) {
  if (runs_chains(step_of(visit)) || !tails_.insert(visit).second) return;
  self_->delayed_send(self_, std::chrono::milliseconds{after_ms}, actors::TailDue{visit});
}

void ChainShell::forget_tail(const VisitId& visit) {
  if (helping_.erase(visit) > 0) self_->send(services_->dispatcher, actors::AskRoom{visit, nullptr, {}});
}

bool ChainShell::recallable(GrantId id, const engine::Grant& grant, const VisitId& visit) const {
  if (grant.visit != visit || recalled_.contains(id)) return false;
  const auto lent = lent_.find(id);
  return lent != lent_.end() && lent->second.sent != 0;
}

/// How long the rest of an order may take, as far as can be told.
double ChainShell::left_us(const VisitId& visit, const engine::Grant& grant) const {
  const auto known = paces_.find(visit);
  const auto items = static_cast<double>(grant.open.size());
  if (known == paces_.end()) return items;
  const auto there = known->second.at.find(grant.worker);
  // Who has said nothing at all is the slowest.
  return there == known->second.at.end() ? std::numeric_limits<double>::max() : items * there->second;
}

/// Nothing is left to give out, and some orders have been out for long: is there anybody who could do some of the worst of them?
void ChainShell::on_tail_due(const VisitId& visit) {
  tails_.erase(visit);
  const auto& state = state_.steps[visit.step];
  if (engine::halted(state_) || state.visit != visit.visit || state.status != engine::VisitStatus::running) return;
  if (engine::grantable(step_of(visit), state) > 0) return;  // when it has nothing more it is looked at again
  std::optional<std::pair<double, WorkerId>> worst;
  std::int64_t soonest = 0;
  for (const auto& [id, grant] : state_.grants) {
    if (!recallable(id, grant, visit)) continue;
    const auto young_for = lent_.at(id).sent + tail_age_ms() - now();
    if (young_for > 0) {
      soonest = soonest == 0 ? young_for : std::min(soonest, young_for);
    } else if (const auto left = left_us(visit, grant); !worst || left > worst->first) {
      worst.emplace(left, grant.worker);
    }
  }
  if (worst) {
    helping_[visit] = worst->second;
    self_->send(services_->dispatcher, actors::AskRoom{visit, needs_[visit.step], worst->second});
  } else if (soonest > 0) {
    watch_tail(visit, soonest);
  }
}

/// There is: what that worker has not begun comes back, as much as the others have slots for.
void ChainShell::on_room(const actors::Room& room) {
  const auto asked = helping_.extract(room.visit);
  const auto& state = state_.steps[room.visit.step];
  if (asked.empty() || engine::halted(state_) || state.visit != room.visit.visit || engine::grantable(step_of(room.visit), state) > 0) return;
  std::uint32_t expected = 0;
  for (auto at = state_.grants.rbegin(); at != state_.grants.rend() && expected < room.slots; ++at) {  // the newest have begun the least
    const auto& [id, grant] = *at;
    if (grant.worker != asked.mapped() || !recallable(id, grant, room.visit) || lent_.at(id).sent + tail_age_ms() > now()) continue;
    recalled_.insert(id);
    self_->send(step_actor_of(room.visit), actors::RecallGrant{id});
    expected += std::max(grant.open.size() - 1, 1U);
  }
  watch_tail(room.visit, tail_age_ms());  // others may be as slow
}

// ---- why nothing moves ----------------------------------------------------------------------------------------------

void ChainShell::on_unplaceable(const actors::Unplaceable& unplaceable) {
  if (unplaceable.words.empty()) {
    unplaceable_.erase(unplaceable.visit);
  } else {
    unplaceable_[unplaceable.visit] = unplaceable.words;
  }
}

void ChainShell::explain(caf::actor asker) {
  actors::ExplainWants ask;
  ask.chain = chain_;
  ask.asker = std::move(asker);
  for (const auto& visit : demanding_) ask.visits.emplace_back(visit, step_of(visit).id);
  for (const auto id : unclaimed_) {
    const auto grant = state_.grants.find(id);
    if (grant == state_.grants.end()) continue;
    ask.words.push_back(fmt::format("step '{}': it may still run on worker '{}', which has not come back yet", step_of(grant->second.visit).id,
                                    grant->second.worker.value));
  }
  self_->send(services_->dispatcher, std::move(ask));
}

}  // namespace catena::coordinator
