#pragma once
// Settings of the actor system that everything else relies on, in one place.
#include <caf/actor_system_config.hpp>

namespace catena::actors {

/// Sets the scheduler: shared queue (a sleeping thread is woken at once, and idles without polling), at most 50 messages an actor before others get
/// their turn, and actors that end without the clock's thread hearing of it.
class SystemConfig : public caf::actor_system_config {
 public:
  explicit SystemConfig(std::size_t threads);
};

}  // namespace catena::actors
