#pragma once
// What nodes meet behind the gate. Reads the greeting of each line and hands the line to a session, one an incarnation of a worker and one a
// connection of a client. To stop a coordinator: StopAdmitting to the front; let supervisor, chains and dispatcher leave; then the front,
// which takes its sessions along. In that order nothing is taken for lost, and what workers run is adopted at the next start.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/error.hpp"
#include "coordinator/admission.hpp"
#include "coordinator/services.hpp"
#include "coordinator/worker_session.hpp"

namespace catena::coordinator {

/// Spawns the session of a client; it sends Welcome itself and leaves with its client.
using SpawnClient = std::function<caf::actor(caf::actor_system& system, actors::Greeted greeted)>;

struct FrontContext {
  std::shared_ptr<const Services> services;
  std::shared_ptr<const SessionSettings> sessions;
  SpawnClient clients;                              // null: clients are turned away
  std::function<void(const Error& error)> rewound;  // the store lacks what was durable: the coordinator is to end. Null: nobody is told
};

struct FrontState {
  struct Session {
    WorkerId worker;
    Incarnation incarnation = 0;
  };
  struct Guest {
    std::shared_ptr<actors::Channel> channel;
    link::Peer peer;
  };
  Admission admission;
  Registry registry;
  std::map<const link::Line*, Guest> guests;  // who has not greeted yet
  std::map<WorkerId, caf::actor> sessions;
  std::map<caf::actor_addr, Session> by_address;
  std::set<caf::actor> clients;
  static inline const char* name = "front";
};

/// Takes LineCame from the gate, what lines bring, SessionLink and SessionEnded from sessions, StopAdmitting from the process.
caf::behavior front(caf::stateful_actor<FrontState>* self, FrontContext context);

}  // namespace catena::coordinator
