#include "engine/approvals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/items.hpp"

namespace catena::engine {

const AskedApproval* asked_approval(const ChainState& state, StepIndex step) {
  const auto& asked = state.approvals.get().asked;
  const auto found = std::ranges::lower_bound(asked, step, {}, &AskedApproval::step);
  if (found == asked.end() || found->step != step || step >= state.steps.size()) return nullptr;
  return found->visit == state.steps[step].visit ? &*found : nullptr;
}

IndexSet waiting_for_approval(const ChainState& state, StepIndex step) {
  const auto* asked = asked_approval(state, step);
  return asked != nullptr && state.steps[step].status == VisitStatus::running ? asked->open : IndexSet{};
}

IndexSet unapproved(const ChainState& state, StepIndex step) {
  const auto& visit = state.steps[step];
  auto free = visit.again;
  free.insert(IndexSet::range(visit.next, visit.width));
  const auto* asked = asked_approval(state, step);
  return asked == nullptr ? free : both(free, asked->denied);
}

UnixMillis approval_due(const lang::Step& step, const ChainState& state, StepIndex index) {
  const auto* asked = asked_approval(state, index);
  if (asked == nullptr || asked->open.empty() || state.steps[index].status != VisitStatus::running) return 0;
  return owes_shape(step, state.steps[index]) ? 0 : asked->until;
}

bool knows_approval(const ChainState& state, StepIndex step, std::string_view key) {
  const auto& keys = state.approvals.get().keys;
  return !key.empty() && std::ranges::find(keys, remembered_key(step, key)) != keys.end();
}

std::string remembered_key(StepIndex step, std::string_view key) { return fmt::format("{} {}", step, key); }

}  // namespace catena::engine
