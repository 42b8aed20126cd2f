#include <fmt/format.h>

#include <algorithm>

#include "base/overloads.hpp"
#include "engine/decider.hpp"
#include "engine/repair.hpp"

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
  event.removals_before = input.removals_before;
  event.labels = input.labels;
  event.trace = input.trace;
  event.deadline_at = input.deadline_at;
  event.parent = input.parent;
  event.depth = input.depth;
  event.for_grant = input.for_grant;
  event.entry = input.entry ? input.entry : prepared_.program->entry;
  event.at = at_;
  emit(std::move(event));
}

void Decider::operator()(const Evaluated& input) {
  const auto& id = input.visit;
  if (id.step >= state_.steps.size() || halted(prepared_, state_, id.step)) return;
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
                   const auto former = state_of(id).former;  // entering forgets it
                   const bool stays = begin.same && former && former->completed && !former->fan_out;
                   emit(VisitEntered{id, begin.arguments, deadline, at_, stays ? IndexSet::one(0) : IndexSet{}});
                   if (stays) return settle_visit(id, VisitStatus::completed, former->response, std::nullopt);
                   ask_approval(id.step);
                 },
                 [&](const Expand& expand) {
                   if (expand.width > limits::kFanOutWidthMax) {
                     const auto message =
                         fmt::format("the list has {} elements; at most {} can be fanned out over", expand.width, limits::kFanOutWidthMax);
                     return settle_visit(id, VisitStatus::failed, {}, step_error(step, make_error(Code::items_failed, message)));
                   }
                   emit(ItemsExpanded{id, expand.width, expand.arguments, deadline, at_, state_of(id).former ? expand.same : IndexSet{}});
                   ask_approval(id.step);
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
  if (!is_current(input.visit) || halted(prepared_, state_, input.visit.step)) return;
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

void Decider::operator()(const Cancel& input) {
  if (!is_under_way(state_.status)) return;
  if (state_.cancelling && (!input.now || state_.cancelling_now)) return;
  cancel(input);
}

void Decider::cancel(const Cancel& input) {
  emit(CancelRequested{input.reason, at_, input.now, input.by});
  // Its final steps run, whoever paused it.
  if (owes_final_steps(*prepared_.program, state_)) {
    if (state_.paused_own) emit(PauseChanged{false, at_});
    if (state_.paused_above) emit(PauseChanged{.paused = false, .at = at_, .above = true});
  }
  wind_down();
}

void Decider::operator()(const Pause& input) {
  if (!is_under_way(state_.status)) return;
  if (state_.cancelling || (input.above ? state_.paused_above : state_.paused_own)) return;
  emit(PauseChanged{true, at_, input.reason, input.by, input.above});
}

void Decider::operator()(const Unpause& input) {
  if (state_.status != ChainStatus::paused || !(input.above ? state_.paused_above : state_.paused_own)) return;
  emit(PauseChanged{false, at_, input.reason, input.by, input.above});
}

void Decider::operator()(const Amend& input) {
  if (!is_under_way(state_.status)) return;
  if ((input.only && *input.only >= state_.steps.size()) || (input.terms.empty() && !input.priority && !input.deadline)) return;
  Amended amended{input.only, input.terms, input.priority, input.reason, input.by, at_};
  if (input.deadline) amended.deadline_at = input.deadline->of_begin(at_);
  emit(std::move(amended));
  if (const auto deadline = awaited_deadline(state_); deadline != 0 && deadline <= at_) end_at_deadline();
  // More may have failed than is tolerated now.
  const auto running = state_.running;
  for (const auto step : running) settle_items({step, state_.steps[step].visit});
  wind_down();
}

void Decider::operator()(const Retry& input) {
  const bool goes_on = is_under_way(state_.status);
  if (!goes_on && state_.status != ChainStatus::failed && state_.status != ChainStatus::cancelled) return;
  auto plan = plan_repair(prepared_, state_, input);
  if (goes_on && obstacle_of(prepared_, state_, input, plan)) return;
  RetryRequested event;
  event.for_grant = goes_on ? state_.for_grant : input.for_grant;
  event.by = input.by;
  event.reason = input.reason;
  event.at = at_;
  event.only_failed = input.only_failed;
  if (input.package != state_.package) event.package = input.package;
  if (input.definition != state_.definition) event.definition = input.definition;
  const auto& steps = prepared_.program->steps;
  if (steps.size() > state_.steps.size()) event.steps_total = static_cast<std::uint32_t>(steps.size());
  for (auto& repair : plan) {
    const auto deadline = steps[repair.step].deadline.count();
    event.steps.push_back(std::move(repair.reopened));
    event.steps.back().deadline_at = deadline == 0 ? 0 : at_ + deadline;
  }
  const auto reopened = event.steps;
  emit(std::move(event));
  // With its failures forgotten, what a fan-out kept may already be all that its join asks for.
  for (const auto& step : reopened) {
    ask_approval(step.step);
    settle_items({step.step, state_.steps[step.step].visit});
  }
  wind_down();
}

void Decider::operator()(const Quarantine& input) {
  if (terminal(state_.status) || state_.status == ChainStatus::quarantined) return;
  emit(ChainQuarantined{input.error, at_});
}

}  // namespace catena::engine
