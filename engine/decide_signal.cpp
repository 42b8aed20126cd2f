#include "base/overloads.hpp"
#include "engine/decider.hpp"
#include "engine/signals.hpp"

namespace catena::engine {

void Decider::operator()(const Signal& input) {
  if (!is_under_way(state_.status)) return;
  if (!awaits_signal(*prepared_.program, input.name) || knows_signal(state_, input.name, input.key)) return;
  if (!keeps_signal(state_, input)) return;
  emit(SignalReceived{state_.had_signals.get().count + 1, input.name, input.data, input.key, input.by, input.reason, at_});
}

void Decider::operator()(const SignalUsed& input) {
  const auto& id = input.visit;
  if (!is_current(id) || halted(prepared_, state_, id.step)) return;
  const auto due = signals_due(*prepared_.program, state_);
  const auto own = due.find(id.step);
  if (own == due.end() || own->second != input.number) return;
  for (const auto& warning : input.warnings) emit(Warned{id, warning, at_});
  emit(SignalConsumed{id, input.number, std::holds_alternative<Payload>(input.outcome), at_});
  std::visit(Overloads{
                 [&](const Payload& response) {
                   if (!input.variables.empty()) emit(StateWritten{id.step, input.variables, at_});
                   settle_visit(id, VisitStatus::completed, response, std::nullopt);
                 },
                 [&](const Error& error) { settle_visit(id, VisitStatus::failed, {}, step_error(step_of(id), error)); },
             },
             input.outcome);
  wind_down();
}

}  // namespace catena::engine
