#pragma once
// Settings of the actor system that everything else relies on, in one place.
#include <caf/actor_system_config.hpp>

namespace catena::actors {

/// Sets the scheduler: one queue of all threads, but what a turn makes ready first runs next on its own thread (see run_queue.hpp; a sleeping thread
/// is woken at once, and idles without polling); at most 50 messages an actor before others get their turn; actors end without the clock's thread
/// hearing of it. `threads`: where there is a journal, one of them is often at the disk.
class SystemConfig : public caf::actor_system_config {
 public:
  explicit SystemConfig(std::size_t threads);
};

}  // namespace catena::actors
