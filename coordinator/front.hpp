#pragma once
// What nodes talk to first: the published actor. Checks greetings and hands their links to sessions, one an incarnation of a worker and one
// a connection of a client. To stop a coordinator: StopAdmitting to the front; let supervisor, chains and dispatcher leave; then the front,
// which takes its sessions along. In that order nothing is taken for lost, and what workers run is adopted at the next start.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/admission.hpp"
#include "coordinator/services.hpp"
#include "coordinator/worker_session.hpp"

namespace catena::coordinator {

/// Who the gate gave this pass to.
using AskGate = std::function<std::optional<actors::Peer>(const std::string& pass)>;
/// Spawns the session of a client; it sends Welcome itself and leaves with its client.
using SpawnClient = std::function<caf::actor(caf::actor_system& system, actors::Greeted greeted)>;

struct FrontContext {
  std::shared_ptr<const Services> services;
  std::shared_ptr<const SessionSettings> sessions;
  AskGate gate;         // null: there is none, as in tests
  SpawnClient clients;  // null: clients are turned away
};

struct FrontState {
  struct Session {
    WorkerId worker;
    Incarnation incarnation = 0;
  };
  Admission admission;
  Registry registry;
  std::map<WorkerId, caf::actor> sessions;
  std::map<caf::actor_addr, Session> by_address;
  struct Client {
    caf::actor session;
    std::uint64_t link = 0;
  };
  std::map<caf::actor_addr, caf::actor_addr> clients;  // whose session it is, by the address of the session
  std::map<caf::actor_addr, Client> client_fars;       // each has one session, of its newest link
  static inline const char* name = "front";
};

/// Takes Greeting from nodes, SessionLink and SessionOver from sessions, StopAdmitting from the process.
caf::behavior front(caf::stateful_actor<FrontState>* self, FrontContext context);

}  // namespace catena::coordinator
