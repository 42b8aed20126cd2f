// What a chain coordinator says of how its chain stands: how far it is, and whether it only waits.
#include <fmt/format.h>

#include <utility>

#include "base/overloads.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {

std::optional<actors::Idle> ChainShell::idle() {
  if (std::exchange(turns_when_asked_, turns_) != turns_) return std::nullopt;
  const bool has_berths = children_ && !children_->berths.empty();
  const bool under_way = !events_.empty() || !held_.empty() || !next_.empty() || !tickets_.empty() || !unclaimed_.empty() || has_berths;
  if (under_way || engine::terminal(state_.status) || state_.status == engine::ChainStatus::pending) return std::nullopt;
  actors::Idle idle{chain_, 0, 0, lead_};
  for (const auto& effect : engine::outstanding(prepared_, state_)) {
    const bool only_waits = std::visit(
        Overloads{
            [](const engine::Wake&) { return true; },
            [&](const engine::Run& run) {
              const auto& grant = state_.grants.at(run.grant);
              idle.children += grant.open.size();
              return grant.worker == kChainsWorker;
            },
            [](const OneOf<engine::Evaluate, engine::Shape, engine::EvaluateOutputs, engine::Demand, engine::Stop, engine::Announce> auto&) {
              return false;
            },
        },
        effect);
    if (!only_waits) return std::nullopt;
  }
  if (!dues_.empty()) idle.due = *dues_.begin() - lead_.count();
  return idle;
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
  for (const auto& [visit, words] : unplaceable_) {
    if (demanding_.contains(visit)) progress.unplaceable.push_back(fmt::format("step '{}': {}", step_of(visit).id, words));
  }
  return progress;
}

}  // namespace catena::coordinator
