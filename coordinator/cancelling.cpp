#include "coordinator/cancelling.hpp"

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include "coordinator/rebuilding.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/sleeping.hpp"
#include "coordinator/spawning.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kSweptAtOnce = 64;  // chains that are ended in one message

/// True when the chain lives: then it is told.
bool cancel_living(SupervisorSelf self, const ChainId& chain, const engine::Cancel& cancel, const caf::actor& asker) {
  const auto running = self->state.running.find(chain);
  if (running == self->state.running.end()) return false;
  pass_on(self, running->second, actors::Control{chain, cancel}, asker);
  return true;
}

/// A chain above it, up to `top`, has final steps, or may have them. What these have started goes on, so that chain tells its children itself which
/// of them end.
bool told_by_parent(const SupervisorState& state, const SupervisorState::Running& running, const ChainId& top) {
  for (auto above = state.running.find(running.parent); above != state.running.end(); above = state.running.find(above->second.parent)) {
    if (above->second.has_final_steps || above->second.start) return true;  // nobody knows what one has that is not read yet
    if (above->first == top) return false;
  }
  return false;
}

}  // namespace

/// Not generation by generation: each message would wait behind all that others have sent.
void cancel_descendants(SupervisorSelf self, const actors::Control& control) {
  const bool now = std::get<engine::Cancel>(control.what).now;
  auto& state = self->state;
  const auto below = control.chain.value + "/";
  const auto is_below = [&](const ChainId& chain) { return chain.value.starts_with(below); };
  for (auto at = state.running.lower_bound(ChainId{below}); at != state.running.end() && is_below(at->first); ++at) {
    if (!now && told_by_parent(state, at->second, control.chain)) continue;
    // One that is being rebuilt hears of it from its parent.
    if (at->second.coordinator || at->second.life != SupervisorState::Life::lives)
      pass_on(self, at->second, actors::Control{at->first, control.what}, caf::actor{self});
  }
}

void cancel_child(SupervisorSelf self, const actors::CancelChild& cancel) {
  auto& state = self->state;
  const auto asker = sender_of(*self);
  state.deferred.erase(cancel.chain);
  // The step waits for the end, not for what becomes of the order: a chain that has just ended refuses it.
  const engine::Cancel what{cancel.reason, cancel.now};
  if (cancel_living(self, cancel.chain, what, caf::actor{self})) {
    auto& waiting = state.running.at(cancel.chain).waiting;
    if (std::ranges::find(waiting, asker) == waiting.end()) waiting.push_back(asker);
    return;
  }
  if (state.sweep->idle()) self->send(self, actors::GoOn{});
  state.sweep->add(cancel.chain, what, asker);
}

void go_on_sweeping(SupervisorSelf self) {
  auto& state = self->state;
  Sweep::Ports ports{
      [&](const std::string& hash) { return state.package_of(hash); },
      [&](const ChainId& chain, const engine::Cancel& cancel) {
        state.deferred.erase(chain);
        return cancel_living(self, chain, cancel, caf::actor{self});
      },
      [&](const ChainId& chain, Recovered recovered, const engine::Cancel& cancel) -> Result<void> {
        FirstControl first{{chain, cancel}, caf::actor{self}};
        const auto spawned = spawn_recovered(self, chain, std::move(recovered), nullptr, std::move(first));
        return spawned ? Result<void>{} : fail(spawned.error());
      },
      state.services->settings.adopt_ms > 0,
      [&](std::shared_ptr<storage::Batch> batch, storage::Durability durability) {
        self->send(state.services->journal, actors::Commit{std::move(batch), durability, 0});
      },
  };
  for (auto& done : state.sweep->go_on(kSweptAtOnce, ports)) {
    // Answered behind all that was written for it.
    state.swept.emplace(++state.last_commit, std::move(done));
    self->send(state.services->journal, actors::Commit{std::make_shared<storage::Batch>(), storage::Durability::none, state.last_commit});
  }
  if (state.sweep->idle()) return;
  if (const auto failures = state.sweep->unread(); failures > 0) return self->delayed_send(self, reading_pause(failures), actors::GoOn{});
  self->send(self, actors::GoOn{});
}

void tell_sweep(SupervisorSelf self, const ChainId& chain, const Sweep::Answer& answer) {
  if (self->state.sweep->on_end(chain, answer)) self->send(self, actors::GoOn{});
}

void answer_swept(SupervisorSelf self, actors::CommitNumber commit) {
  const auto swept = self->state.swept.extract(commit);
  if (swept.empty()) return;
  self->state.sweep->written(swept.mapped().written);
  std::visit([&](const auto& answer) { self->send(swept.mapped().asker, answer); }, swept.mapped().answer);
}

}  // namespace catena::coordinator
