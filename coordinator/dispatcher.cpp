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
    ++state.chains[want.chain.address()][{id, worker->incarnation}];
    self->send(want.chain, actors::Ticket{id, worker->incarnation, worker->node, want.visit});
    if (--want.wanted > 0) state.wants.push_back(std::move(want));  // behind the others
  }
}

void take_back(DispatcherState& state, const WorkerId& id, Incarnation incarnation, std::uint32_t tickets) {
  const auto worker = state.workers.find(id);
  if (worker != state.workers.end() && worker->second.incarnation == incarnation) worker->second.free += tickets;
}

void take_back(DispatcherState& state, const caf::actor_addr& chain, const actors::TicketBack& back) {
  const auto known = state.chains.find(chain);
  if (known == state.chains.end()) return;  // it died, and what it had is back already
  const auto lent = known->second.find({back.worker, back.incarnation});
  if (lent == known->second.end()) return;
  if (--lent->second == 0) known->second.erase(lent);
  take_back(state, back.worker, back.incarnation, 1);
}

/// A chain is gone: it wants nothing more, and what it held is free, whether it died before it could give it back or not.
void forget_chain(DispatcherState& state, const caf::actor_addr& chain) {
  std::erase_if(state.wants, [&](const auto& want) { return want.chain.address() == chain; });
  for (const auto& [worker, tickets] : state.chains.at(chain)) take_back(state, worker.first, worker.second, tickets);
  state.chains.erase(chain);
}

void forget_node(caf::stateful_actor<DispatcherState>* self, const caf::actor& supervisor, const caf::actor_addr& node) {
  auto& state = self->state;
  const auto known = state.nodes.find(node);
  if (known == state.nodes.end()) return;
  const auto worker = state.workers.find(known->second);
  if (worker != state.workers.end() && worker->second.node.address() == node) {
    self->send(supervisor, actors::NodeGone{worker->first, worker->second.incarnation});
    state.workers.erase(worker);
  }
  state.nodes.erase(known);
}

}  // namespace

caf::behavior dispatcher(caf::stateful_actor<DispatcherState>* self, caf::actor supervisor) {
  self->set_down_handler([=](const caf::down_msg& down) {
    if (!self->state.chains.contains(down.source)) return forget_node(self, supervisor, down.source);
    forget_chain(self->state, down.source);
    serve(self);
  });
  return {
      [=](const actors::Hello& hello) {
        auto& state = self->state;
        const WorkerId id{hello.worker};
        const auto node = caf::actor_cast<caf::actor>(self->current_sender());
        if (const auto known = state.workers.find(id); known != state.workers.end()) {
          if (hello.incarnation <= known->second.incarnation) return;  // of a start that is over, and came late
          // Its earlier start may still look alive; what that one had is lost all the same.
          forget_node(self, supervisor, known->second.node.address());
        }
        constexpr std::uint32_t kOrdersPerSlot = 2;
        state.workers[id] = {node, hello.incarnation, hello.slots * kOrdersPerSlot};
        state.nodes[node.address()] = id;
        self->monitor(node);
        serve(self);
      },
      [=](const actors::Wanted& wanted) {
        auto& state = self->state;
        const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
        if (state.chains.try_emplace(chain.address()).second) self->monitor(chain);
        const auto same =
            std::ranges::find_if(state.wants, [&](const auto& want) { return want.chain == chain && want.visit == wanted.visit; });
        if (same != state.wants.end()) {
          same->wanted = wanted.wanted;
        } else if (wanted.wanted > 0) {
          state.wants.push_back({chain, wanted.visit, wanted.wanted});
        }
        serve(self);
      },
      [=](const actors::ChainDone& done) {
        const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
        std::erase_if(self->state.wants, [&](const auto& want) { return want.chain == chain; });
        self->send(chain, done);
      },
      [=](const actors::TicketBack& back) {
        take_back(self->state, caf::actor_cast<caf::actor_addr>(self->current_sender()), back);
        serve(self);
      },
  };
}

}  // namespace catena::coordinator
