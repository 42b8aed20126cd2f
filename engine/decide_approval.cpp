#include <fmt/format.h>

#include "engine/approvals.hpp"
#include "engine/decider.hpp"

namespace catena::engine {
namespace {

Error rejection(const Approval& input) {
  const auto by = input.by.empty() ? std::string{} : " by " + input.by;
  const auto reason = input.reason.empty() ? std::string{} : ": " + input.reason;
  return make_error(Code::approval_rejected, fmt::format("it was rejected{}{}", by, reason));
}

}  // namespace

void Decider::operator()(const Approval& input) {
  if (!is_under_way(state_.status)) return;
  if (input.step >= state_.steps.size() || is_cut_off(prepared_, state_, input.step) || knows_approval(state_, input.step, input.key)) return;
  const VisitId id{input.step, state_.steps[input.step].visit};
  if (!is_current(id) || owes_shape(step_of(id), state_of(id))) return;
  auto items = both(input.items, waiting_for_approval(state_, input.step));
  if (items.empty()) return;
  ApprovalAnswered answered{
      .visit = id, .items = std::move(items), .approved = input.approved, .key = input.key, .by = input.by, .reason = input.reason, .at = at_};
  if (!input.approved) answered.error = rejection(input);
  if (input.approved && !state_of(id).fan_out) answered.arguments = input.arguments;
  emit(std::move(answered));
  settle_items(id);
  wind_down();
}

/// Of the visit's free items those that nobody has approved wait from now on, where the definition says so.
void Decider::ask_approval(StepIndex index) {
  const auto& rule = prepared_.program->steps[index].approve;
  const VisitId id{index, state_.steps[index].visit};
  if (!rule || !is_current(id)) return;
  if (verdict_of(step_of(id), state_of(id)) != Verdict::open) return;
  auto items = unapproved(state_, index);
  if (items.empty()) return;
  const auto timeout = rule->timeout.count();
  emit(ApprovalAsked{id, std::move(items), timeout == 0 ? 0 : at_ + timeout, at_});
}

/// What nobody answered in time.
void Decider::end_approval(const VisitId& id) {
  const auto& rule = step_of(id).approve;
  const auto on_timeout = rule ? rule->on_timeout : lang::OnApprovalTimeout::fail;
  const auto message = fmt::format("nobody approved it within {}", to_string(rule ? rule->timeout : Millis{0}));
  ApprovalAnswered answered{.visit = id, .items = waiting_for_approval(state_, id.step), .reason = message, .at = at_};
  switch (on_timeout) {
    case lang::OnApprovalTimeout::approve: answered.approved = true; break;
    case lang::OnApprovalTimeout::reject: answered.error = make_error(Code::approval_rejected, message); break;
    case lang::OnApprovalTimeout::fail: answered.error = make_error(Code::deadline_exceeded, message); break;
  }
  emit(std::move(answered));
  settle_items(id);
}

}  // namespace catena::engine
