#include <algorithm>

#include "engine/decider.hpp"
#include "engine/fork.hpp"

namespace catena::engine {

void Decider::operator()(const Fork& input) {
  if (obstacle_of_fork(state_, input.step)) return;
  ChainForked event;
  event.source = input.source;
  event.back_to = input.step;
  event.arguments = input.arguments.value_or(state_.arguments);
  event.other_arguments = input.arguments.has_value();
  event.later_ms = input.step && is_under_way(state_.status) ? 0 : std::max<std::int64_t>(0, at_ - state_.last_at);
  event.directory = input.directory;
  event.removals_before = input.removals_before;
  event.labels = input.labels;
  event.trace = input.trace;
  event.by = input.by;
  event.reason = input.reason;
  event.at = at_;
  if (input.step) {
    auto plan = plan_fork(prepared_, state_, *input.step);
    event.cut = std::move(plan.cut);
    for (auto& repair : plan.steps) {
      const auto deadline = prepared_.program->steps[repair.step].deadline.count();
      event.steps.push_back(std::move(repair.reopened));
      event.steps.back().deadline_at = deadline == 0 ? 0 : at_ + deadline;
    }
  }
  emit(std::move(event));
  const auto running = state_.running;
  for (const auto step : running) ask_approval(step);
  // What only waited for attempts to end does so no longer.
  for (const auto step : running) settle_items({step, state_.steps[step].visit});
  wind_down();
}

}  // namespace catena::engine
