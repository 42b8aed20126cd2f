#include "coordinator/dispatcher.hpp"

#include <algorithm>

namespace catena::coordinator {
namespace {

/// The worker with the most room.
DispatcherState::Worker* roomiest(DispatcherState& state, WorkerId& id) {
  DispatcherState::Worker* best = nullptr;
  for (auto& [name, worker] : state.workers) {
    if (worker.free > 0 && (best == nullptr || worker.free > best->free)) {
      best = &worker;
      id = name;
    }
  }
  return best;
}

void serve(caf::stateful_actor<DispatcherState>* self) {
  auto& state = self->state;
  while (!state.wants.empty()) {
    WorkerId id;
    auto* worker = roomiest(state, id);
    if (worker == nullptr) return;
    auto want = std::move(state.wants.front());
    state.wants.pop_front();
    --worker->free;
    self->send(want.chain, actors::Ticket{id, worker->incarnation, worker->node, want.visit});
    if (--want.wanted > 0) state.wants.push_back(std::move(want));  // behind the others
  }
}

}  // namespace

caf::behavior dispatcher(caf::stateful_actor<DispatcherState>* self, caf::actor supervisor) {
  self->set_down_handler([=](const caf::down_msg& down) {
    auto& state = self->state;
    const auto known = state.nodes.find(down.source);
    if (known == state.nodes.end()) return;
    const auto worker = state.workers.find(known->second);
    if (worker != state.workers.end() && worker->second.node.address() == down.source) {
      self->send(supervisor, actors::NodeGone{worker->first, worker->second.incarnation});
      state.workers.erase(worker);
    }
    state.nodes.erase(known);
  });
  return {
      [=](const actors::Hello& hello) {
        auto& state = self->state;
        const auto node = caf::actor_cast<caf::actor>(self->current_sender());
        constexpr std::uint32_t kOrdersPerSlot = 2;
        state.workers[WorkerId{hello.worker}] = {node, hello.incarnation, hello.slots * kOrdersPerSlot};
        state.nodes[node.address()] = WorkerId{hello.worker};
        self->monitor(node);
        serve(self);
      },
      [=](const actors::Wanted& wanted) {
        auto& wants = self->state.wants;
        const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
        const auto same = std::ranges::find_if(wants, [&](const auto& want) { return want.chain == chain && want.visit == wanted.visit; });
        if (same != wants.end()) {
          same->wanted = wanted.wanted;
        } else if (wanted.wanted > 0) {
          wants.push_back({chain, wanted.visit, wanted.wanted});
        }
        serve(self);
      },
      [=](const actors::ChainDone& done) {
        const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
        std::erase_if(self->state.wants, [&](const auto& want) { return want.chain == chain; });
        self->send(chain, done);
      },
      [=](const actors::TicketBack& back) {
        auto& workers = self->state.workers;
        const auto worker = workers.find(back.worker);
        if (worker == workers.end() || worker->second.incarnation != back.incarnation) return;
        ++worker->second.free;
        serve(self);
      },
  };
}

}  // namespace catena::coordinator
