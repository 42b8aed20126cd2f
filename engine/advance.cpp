#include <fmt/format.h>

#include <algorithm>

#include "engine/decider.hpp"

namespace catena::engine {

namespace {

std::string with_attempt(const lang::Step& step, const Error& cause, Attempt attempt) {
  return attempt == 0 || !step.blame.empty() ? cause.message : fmt::format("attempt {}: {}", attempt, cause.message);
}

}  // namespace

Error step_error(const lang::Step& step, const Error& cause, Attempt attempt) {
  Error error = cause;
  const auto begin = step.blame.empty() ? fmt::format("step '{}'", step.id) : step.blame;
  error.message = fmt::format("{}: {}", begin, with_attempt(step, cause, attempt));
  return error;
}

bool Decider::is_current(const VisitId& visit) const {
  return visit.step < state_.steps.size() && state_.steps[visit.step].visit == visit.visit && state_.steps[visit.step].status == VisitStatus::running;
}

void Decider::settle_items(const VisitId& id) {
  if (!is_current(id)) return;
  const auto& step = step_of(id);
  const auto& visit = state_of(id);
  switch (verdict_of(step, visit)) {
    case Verdict::open: return;
    case Verdict::completed: {
      if (owes_shape(step, visit)) return;  // the visit settles with Shaped
      return settle_visit(id, VisitStatus::completed, {}, std::nullopt);
    }
    case Verdict::failed: {
      // What runs may still be recorded (see wind_down for the policy), but not where the first to end decides.
      if (visit.in_flight > 0 && !(step.each && step.each->join == lang::Join::any)) return;
      const auto cause = visit.first_error.value_or(make_error(Code::items_failed, "an item failed"));
      const auto attempt = visit.first_error_attempt;
      if (!visit.fan_out) return settle_visit(id, VisitStatus::failed, {}, step_error(step, cause, attempt));
      auto error =
          step_error(step, make_error(Code::items_failed, fmt::format("{} of {} items failed ({} tolerated); the first: {}", visit.bad.count(),
                                                                      visit.width, tolerated(step, visit), with_attempt(step, cause, attempt))));
      error.cause = std::make_shared<const Error>(cause);
      return settle_visit(id, VisitStatus::failed, {}, std::move(error));
    }
  }
}

void Decider::settle_visit(const VisitId& id, VisitStatus status, Payload response, std::optional<Error> error, const Substitute* given) {
  const bool fails_chain = status == VisitStatus::failed && std::holds_alternative<lang::FinishFailed>(step_of(id).failed);
  VisitSettled settled{id, status, std::move(response), std::move(error), fails_chain, at_};
  if (given != nullptr) settled.given = true, settled.by = given->by, settled.reason = given->reason;
  emit(std::move(settled));
  if (status != VisitStatus::cancelled) follow_route(id.step, status != VisitStatus::failed);
}

void Decider::follow_route(StepIndex step, bool ok) {
  const auto& route = ok ? prepared_.program->steps[step].ok : prepared_.program->steps[step].failed;
  if (const auto* go = std::get_if<lang::Go>(&route)) emit(Jumped{step, go->target, at_});
}

/// A skipped step has not succeeded: the step after it comes next, wherever its success would have led.
void Decider::pass_over(StepIndex step) {
  const auto& program = *prepared_.program;
  const bool sequence = is_entry(program.steps[step]) && !(program.block && program.block->branches);
  if (sequence && step + 1U < program.steps.size()) emit(Jumped{step, step + 1U, at_});
}

/// A chain that will not go on ends what it has open, and then itself.
void Decider::wind_down() {
  if (!winds_down(state_)) return;
  if (terminal(state_.status) || state_.status == ChainStatus::quarantined) return;
  const auto running = state_.running;
  for (const auto index : running) {
    const auto& visit = state_.steps[index];
    const bool goes_on = prepared_.program->steps[index].finally && !state_.cancelling_now;
    if (visit.in_flight == 0 && !goes_on) settle_visit({index, visit.visit}, VisitStatus::cancelled, {}, std::nullopt);
  }
  if (!state_.running.empty() || !state_.grants.empty() || owes_final_steps(*prepared_.program, state_)) return;
  if (owes_outputs(prepared_, state_)) return;
  if (state_.failing) {
    emit(ChainFinished{ChainStatus::failed, {}, state_.failing, at_});
  } else {
    emit(ChainFinished{ChainStatus::cancelled, {}, make_error(Code::cancelled, "the chain was cancelled"), at_});
  }
}

}  // namespace catena::engine
