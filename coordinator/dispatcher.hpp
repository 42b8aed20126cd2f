#pragma once
// Who may send work where. A worker offers slots; a ticket is room for one order at a worker, one running and one waiting a slot.
// Visits that want tickets are served in turn, so no chain holds the fleet while another waits.
#include <caf/all.hpp>
#include <deque>
#include <map>
#include <vector>

#include "actors/messages.hpp"

namespace catena::coordinator {

struct DispatcherState {
  struct Worker {
    caf::actor node;
    Incarnation incarnation = 0;
    std::uint32_t free = 0;
  };
  struct Want {
    caf::actor chain;
    VisitId visit;
    std::uint32_t wanted = 0;
  };
  /// Tickets that a chain holds, by whose they are.
  using Lent = std::map<std::pair<WorkerId, Incarnation>, std::uint32_t>;
  std::map<WorkerId, Worker> workers;
  std::deque<Want> wants;
  std::map<caf::actor_addr, Lent> chains;
  std::map<caf::actor_addr, WorkerId> nodes;
  static inline const char* name = "dispatcher";
};

caf::behavior dispatcher(caf::stateful_actor<DispatcherState>* self, caf::actor supervisor);

}  // namespace catena::coordinator
