// What a chain coordinator does to start child chains: it asks the supervisor for berths in its family, grants as many items as it was given
// berths for, and gives back what it does not use. A step whose children wait for berths has granted and written nothing for them.
#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "base/overloads.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {

using actors::Berth;
using actors::Besides;

ChainShell::Children& ChainShell::children() {
  if (!children_) children_ = std::make_unique<Children>();
  return *children_;
}

void ChainShell::on_berths(const actors::BerthsGiven& given) {
  begin_turn();
  auto& berths = children().berths[given.visit];
  berths.asked -= std::min(berths.asked, given.berths);
  berths.free += given.berths;
  end_turn();
}

void ChainShell::on_refusal(const VisitId& visit) {
  begin_turn();
  auto& berths = children().berths[visit];
  berths.asked -= std::min(berths.asked, 1U);
  ++berths.refused;
  children().changed = true;
  end_turn();
}

/// How many child chains of the visit could be started now.
std::uint32_t ChainShell::startable(const VisitId& visit) const {
  const auto& state = state_.steps[visit.step];
  const auto window = engine::window_of(step_of(visit), state);
  const auto at_a_time = window == UINT32_MAX ? services_->settings.children_at_a_time : window;
  if (engine::halted(prepared_, state_, visit.step) || state.visit != visit.visit || state.in_flight >= at_a_time) return 0;
  return std::min(at_a_time - state.in_flight, engine::grantable(step_of(visit), state));
}

void ChainShell::offer_children(const VisitId& visit) {
  // Children below the limit of depth fail without living.
  if (state_.depth >= limits::kCompositeDepthMax) {
    static_cast<void>(grant_children(visit, startable(visit), Berth::earlier));
    return;
  }
  if (run_rounds(visit)) return;
  const auto known = children().berths.find(visit);
  if (known == children().berths.end()) return;
  auto& berths = known->second;
  berths.refused -= grant_children(visit, std::min(berths.refused, startable(visit)), Berth::refused);
  berths.free -= grant_children(visit, std::min(berths.free, startable(visit)), Berth::reserved);
}

std::uint32_t ChainShell::grant_children(const VisitId& visit, std::uint32_t items, Berth berth) {
  if (items == 0) return 0;
  const auto last = state_.last_grant;
  decide(at_now(engine::Offer{visit, kChainsWorker, kChainsIncarnation, items}), nullptr);
  if (state_.last_grant == last) return 0;
  children().granted.emplace(state_.last_grant, berth);
  return state_.grants.at(state_.last_grant).open.size();
}

/// Behind offer_children: what is left of berths is of no use now.
void ChainShell::ask_for_berths() {
  for (const auto& visit : demanding_) {
    if (composes(visit) && state_.depth < limits::kCompositeDepthMax && !ends_in_turn(visit)) children().berths.try_emplace(visit);
  }
  if (!children_) return;
  if (children_->changed) std::erase_if(children_->granted, [this](const auto& entry) { return !state_.grants.contains(entry.first); });
  std::optional<Besides> now;
  auto& all = children_->berths;
  for (auto at = all.begin(); at != all.end();) {
    auto& [visit, berths] = *at;
    if (berths.free > 0) self_->send(services_->supervisor, actors::BerthsBack{chain_, std::exchange(berths.free, 0)});
    const auto wanted = startable(visit);
    if (wanted > 0 && !now) now = besides();
    if (wanted != berths.asked || (wanted > 0 && (children_->changed || *now != berths.told))) {
      berths.asked = wanted;
      berths.told = now.value_or(Besides::something);
      self_->send(services_->supervisor, actors::BerthsWanted{visit, wanted, berths.told});
    }
    at = wanted == 0 ? all.erase(at) : std::next(at);
  }
  children_->changed = false;
}

/// Everything the chain owes is to start children and to wait for those it has.
Besides ChainShell::besides() const {
  const auto only_children = [this](const engine::Effect& effect) {
    return std::visit(
        Overloads{
            [this](const engine::Demand& demand) { return composes(demand.visit) && !ends_in_turn(demand.visit); },
            [this](const OneOf<engine::Run, engine::Stop> auto& of_grant) {
              const auto granted = children_->granted.find(of_grant.grant);
              return state_.grants.at(of_grant.grant).worker == kChainsWorker &&
                     (granted == children_->granted.end() || granted->second != Berth::refused);
            },
            [](const engine::HoldChildren&) { return true; },
            [](const OneOf<engine::Evaluate, engine::Shape, engine::EvaluateOutputs, engine::Wake, engine::Announce, engine::UseSignal> auto&) {
              return false;
            },
        },
        effect);
  };
  const bool refusing = std::ranges::any_of(children_->berths, [](const auto& entry) { return entry.second.refused > 0; });
  return !refusing && std::ranges::all_of(engine::outstanding(prepared_, state_), only_children) ? Besides::nothing : Besides::something;
}

/// A grant of child chains is durable. Where it is to be stopped already, as after a restart, its children are not started for that.
void ChainShell::run_children(actors::RunGrant run, const engine::Grant& grant) {
  if (children_) {
    const auto granted = children_->granted.find(run.grant);
    if (granted != children_->granted.end()) run.berth = granted->second;
  }
  const auto& step = step_actor_of(grant.visit);
  if (engine::stopping(prepared_, state_, grant)) {
    self_->send(step, actors::EndChildren{std::move(run), state_.cancelling_now});
  } else {
    self_->send(step, std::move(run));
  }
}

}  // namespace catena::coordinator
