#pragma once
// Settings of the actor system that everything else relies on, in one place.
#include <caf/actor_system_config.hpp>

#include "actors/protocol.hpp"

namespace catena::actors {

/// Who can talk to the actors of a system: this process, or nodes that come over a loopback port (actors/connector.hpp).
enum class Reach { process, nodes };

/// Registers the protocol and sets the scheduler: shared queue (a sleeping thread is woken at once, and idles without polling), at
/// most 50 messages an actor before others get their turn. A system that nodes reach has a random node id.
class SystemConfig : public caf::actor_system_config {
 public:
  explicit SystemConfig(std::size_t threads, Reach reach = Reach::process);
};

}  // namespace catena::actors
