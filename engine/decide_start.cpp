#include <fmt/format.h>

#include <algorithm>

#include "base/overloads.hpp"
#include "engine/decider.hpp"

namespace catena::engine {

void Decider::operator()(const Start& input) {
  if (state_.status != ChainStatus::pending) return;
  ChainStarted event;
  event.package = input.package;
  event.definition = input.definition;
  event.steps = static_cast<std::uint32_t>(prepared_.program->steps.size());
  event.arguments = input.arguments;
  event.context = input.context;
  event.directory = input.directory;
  event.parent = input.parent;
  event.depth = input.depth;
  event.for_grant = input.for_grant;
  event.entry = input.entry ? input.entry : prepared_.program->entry;
  event.at = at_;
  emit(std::move(event));
}

void Decider::operator()(const Evaluated& input) {
  const auto& id = input.visit;
  if (id.step >= state_.steps.size() || halted(state_)) return;
  if (!gate_open(prepared_, state_, id.step) || state_.steps[id.step].visit + 1 != id.visit) return;
  const auto& step = step_of(id);
  if (state_.entering == id.step && state_.visits >= prepared_.program->limits.visits_max) {
    emit(ChainFailing{
        make_error(Code::visits_exceeded, fmt::format("step '{}': this chain has entered {} steps, its limit; does it end?", step.id, state_.visits)),
        at_});
    wind_down();
    return;
  }
  for (const auto& warning : input.warnings) emit(Warned{id, warning, at_});
  const auto deadline = step.deadline.count() == 0 ? 0 : at_ + step.deadline.count();
  std::visit(Overloads{
                 [&](const Begin& begin) {
                   emit(VisitEntered{id, begin.arguments, deadline, at_});
                 },
                 [&](const Expand& expand) {
                   if (expand.width > limits::kFanOutWidthMax) {
                     const auto message =
                         fmt::format("the list has {} elements; at most {} can be fanned out over", expand.width, limits::kFanOutWidthMax);
                     return settle_visit(id, VisitStatus::failed, {}, step_error(step, make_error(Code::items_failed, message)));
                   }
                   emit(ItemsExpanded{id, expand.width, expand.arguments, deadline, at_});
                   settle_items(id);  // an empty list completes at once
                 },
                 [&](const Error& error) { settle_visit(id, VisitStatus::failed, {}, step_error(step, error)); },
                 [&](const Skip&) {
                   emit(VisitSkipped{id, at_});
                   pass_over(id.step);
                 },
             },
             input.outcome);
  wind_down();
}

void Decider::operator()(const Shaped& input) {
  if (halted(state_) || !is_current(input.visit)) return;
  const auto& step = step_of(input.visit);
  if (!owes_shape(step, state_of(input.visit))) return;
  for (const auto& warning : input.warnings) emit(Warned{input.visit, warning, at_});
  std::visit(Overloads{
                 [&](const Payload& added) {
                   if (!input.variables.empty()) emit(StateWritten{input.visit.step, input.variables, at_});
                   settle_visit(input.visit, VisitStatus::completed, added, std::nullopt);
                 },
                 [&](const Error& error) { settle_visit(input.visit, VisitStatus::failed, {}, step_error(step, error)); },
             },
             input.outcome);
  wind_down();
}

void Decider::operator()(const OutputsEvaluated& input) {
  if (terminal(state_.status) || !owes_outputs(prepared_, state_)) return;
  const auto* response = std::get_if<Payload>(&input.outcome);
  if (response == nullptr && !state_.failing) emit(ChainFailing{std::get<Error>(input.outcome), at_});
  const auto error = state_.failing ? state_.failing : failed_at_end();
  emit(ChainFinished{error ? ChainStatus::failed : ChainStatus::succeeded, response == nullptr ? Payload{} : *response, error, at_});
}

/// What to say of steps that failed and let the others go on.
std::optional<Error> Decider::failed_at_end() const {
  std::optional<Error> first;
  std::uint32_t count = 0;
  for (StepIndex index = 0; index < state_.steps.size(); ++index) {
    const auto& visit = state_.steps[index];
    if (visit.status != VisitStatus::failed || !std::holds_alternative<lang::FailAtEnd>(prepared_.program->steps[index].failed)) continue;
    if (++count == 1) first = visit.error;
  }
  if (count > 1) first->message = fmt::format("{} steps failed; the first: {}", count, first->message);
  return first;
}

/// A failure that ended the chain: a person's retry runs the step again.
bool Decider::to_be_retried(StepIndex index) const {
  const auto status = state_.steps[index].status;
  const auto& failed = prepared_.program->steps[index].failed;
  const bool handled = !std::holds_alternative<lang::FinishFailed>(failed) && !std::holds_alternative<lang::FailAtEnd>(failed);
  return status == VisitStatus::cancelled || (status == VisitStatus::failed && !handled);
}

/// With them what was skipped behind them, whose conditions may turn out otherwise now. By index.
std::vector<bool> Decider::steps_to_retry() const {
  std::vector<bool> again(state_.steps.size());
  std::vector<StepIndex> open;
  for (StepIndex index = 0; index < again.size(); ++index) {
    if (!to_be_retried(index)) continue;
    again[index] = true;
    open.push_back(index);
  }
  while (!open.empty()) {
    const auto step = open.back();
    open.pop_back();
    for (const auto dependent : prepared_.dependents[step]) {
      if (again[dependent] || state_.steps[dependent].status != VisitStatus::skipped) continue;
      again[dependent] = true;
      open.push_back(dependent);
    }
  }
  return again;
}

void Decider::operator()(const Cancel& input) {
  if (state_.cancelling || (state_.status != ChainStatus::running && state_.status != ChainStatus::paused)) return;
  emit(CancelRequested{input.reason, at_});
  wind_down();
}

void Decider::operator()(const Pause&) {
  if (state_.status == ChainStatus::running) emit(PauseChanged{true, at_});
}

void Decider::operator()(const Unpause&) {
  if (state_.status == ChainStatus::paused) emit(PauseChanged{false, at_});
}

void Decider::operator()(const Retry& input) {
  if (state_.status != ChainStatus::failed && state_.status != ChainStatus::cancelled) return;
  RetryRequested event;
  event.for_grant = input.for_grant;
  event.at = at_;
  if (input.package != state_.package) event.package = input.package;
  const auto again = steps_to_retry();
  for (StepIndex index = 0; index < state_.steps.size(); ++index) {
    if (!again[index]) continue;
    const auto& step = prepared_.program->steps[index];
    const bool entered = state_.steps[index].entered_at != 0;
    const bool enter = std::holds_alternative<lang::OnEntry>(step.gate) && !entered;
    const bool items_stand = entered && shapes_list(step) && verdict_of(step, state_.steps[index]) == Verdict::completed;
    event.steps.push_back({index, step.deadline.count() == 0 ? 0 : at_ + step.deadline.count(), enter, items_stand});
  }
  const auto reopened = event.steps;
  emit(std::move(event));
  // With its failures forgotten, what a fan-out kept may already be all that its join asks for.
  for (const auto& step : reopened) settle_items({step.step, state_.steps[step.step].visit});
  wind_down();
}

void Decider::operator()(const Quarantine& input) {
  if (terminal(state_.status) || state_.status == ChainStatus::quarantined) return;
  emit(ChainQuarantined{input.error, at_});
}

}  // namespace catena::engine
