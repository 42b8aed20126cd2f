// What a chain coordinator says of how its chain stands: how far it is, and whether it only waits.
#include <fmt/format.h>

#include <utility>

#include "base/overloads.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {

std::optional<actors::Idle> ChainShell::idle() {
  if (std::exchange(has_met_something_, false)) return std::nullopt;
  const bool has_berths = children_ && !children_->berths.empty();
  const bool under_way = !events_.empty() || !held_.empty() || !next_.empty() || !tickets_.empty() || !unclaimed_.empty() || has_berths;
  if (under_way || engine::terminal(state_.status) || state_.status == engine::ChainStatus::pending) return std::nullopt;
  actors::Idle idle{chain_, 0, 0, lead_, nullptr};
  for (const auto& effect : engine::outstanding(prepared_, state_)) {
    const bool only_waits =
        std::visit(Overloads{
                       [](const OneOf<engine::Wake, engine::HoldChildren> auto&) { return true; },
                       [&](const engine::Run& run) {
                         const auto& grant = state_.grants.at(run.grant);
                         idle.children += grant.open.size();
                         // The timeout of children is a timer of their step's actor, which would end with this one.
                         const auto& terms = state_.steps[grant.visit.step].terms;
                         const auto timeout = terms && terms->timeout_ms ? *terms->timeout_ms : step_of(grant.visit).timeout.count();
                         return grant.worker == kChainsWorker && timeout == 0;
                       },
                       [](const OneOf<engine::Evaluate, engine::Shape, engine::EvaluateOutputs, engine::Demand, engine::Stop, engine::Announce,
                                      engine::UseSignal> auto&) { return false; },
                   },
                   effect);
    if (!only_waits) return std::nullopt;
  }
  if (!dues_.empty()) idle.due = *dues_.begin() - lead_.count();
  idle.rest = rest();
  only_waits_ = true;
  return idle;
}

std::shared_ptr<const Resting> ChainShell::rest() const {
  if (!indexed_ || webhooks_ || !notes_.empty()) return nullptr;
  auto state = engine::encode(state_);
  if (state.size() > kRestingStateMax) return nullptr;
  state.shrink_to_fit();
  return std::make_shared<const Resting>(
      Resting{std::move(state), checkpointed_, {*indexed_, settled_listed_, strikes_, {}, durability_, priority_}, only_computes()});
}

/// As far as that can be seen now: a retry, or a gate that leads back, may still need more than a turn.
bool ChainShell::only_computes() const {
  // Records of such a chain may be lost with the process, and those of others that it would share a commit with not.
  if (durability_ == storage::Durability::none || outputs_read_store(*prepared_.program, state_)) return false;
  for (StepIndex step = 0; step < state_.steps.size(); ++step) {
    if (!engine::settled(state_.steps[step].status) && (prepared_.program->steps[step].approve || !computes({step, 0}))) return false;
  }
  return true;
}

actors::Progress ChainShell::progress() const {
  actors::Progress progress;
  progress.chain = chain_;
  progress.status = state_.status;
  progress.steps_total = static_cast<std::uint32_t>(state_.steps.size());
  progress.steps_settled = progress.steps_total - state_.unsettled;
  for (StepIndex step = 0; step < state_.steps.size(); ++step) {
    const auto& visit = state_.steps[step];
    if (!visit.fan_out) continue;
    const auto done = visit.ok.count() + visit.bad.count();
    progress.items_settled += done;
    progress.items_total += visit.width;
    if (visit.status == engine::VisitStatus::running) progress.running.push_back({prepared_.program->steps[step].id, done, visit.width});
  }
  for (const auto& [visit, why] : unplaceable_) {
    if (demanding_.contains(visit)) progress.unplaceable.push_back(fmt::format("step '{}': {}", step_of(visit).id, engine::words(*why, chain_)));
  }
  return progress;
}

}  // namespace catena::coordinator
