#include "coordinator/holding.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <utility>

#include "coordinator/sleeping.hpp"

namespace catena::coordinator {
namespace {

template <class Visit>
void for_each_below(SupervisorState& state, const ChainId& chain, const Visit& visit) {
  const auto below = chain.value + "/";
  for (auto at = state.running.lower_bound(ChainId{below}); at != state.running.end() && at->first.value.starts_with(below); ++at)
    visit(at->first, at->second);
}

actors::Control pause_from_above(const ChainId& child, bool held) {
  if (held) return {child, engine::Pause{.above = true}};
  return {child, engine::Unpause{.above = true}};
}

}  // namespace

void hold_children(SupervisorSelf self, const actors::HoldChildren& hold) {
  const auto known = self->state.running.find(hold.chain);
  if (known == self->state.running.end()) return;
  known->second.holds_children = hold.held;
  if (hold.amend && hold.amend->priority) known->second.children_priority = static_cast<std::int8_t>(*hold.amend->priority);
  for_each_below(self->state, hold.chain, [&](const ChainId& chain, SupervisorState::Running& running) {
    if (running.parent != hold.chain) return;
    // A chain that was paused once says so whenever it comes back: that wakes nobody who knows.
    if (std::exchange(running.told_held, hold.held) != hold.held) pass_on(self, running, pause_from_above(chain, hold.held), caf::actor{self});
    if (!hold.amend) return;
    actors::Control own{chain, *hold.amend};
    own.reason = hold.amend->reason;
    pass_on(self, running, std::move(own), caf::actor{self});
  });
}

}  // namespace catena::coordinator
