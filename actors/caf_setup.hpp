#pragma once
// Settings of the actor system that everything else relies on, in one place.
#include <caf/actor_system_config.hpp>
#include <functional>

#include "actors/run_queue.hpp"

namespace catena::actors {

/// Sets the scheduler: one queue of all threads, but what a turn makes ready first runs next on its own thread (see run_queue.hpp; a sleeping thread
/// is woken at once, and idles without polling); at most 50 messages an actor before others get their turn; actors end without the clock's thread
/// hearing of it. `threads`: that run actors, unless one has just come back that was lent; where there is a journal, one of them is often at the
/// disk. For each of the `slots` there is a thread besides, which may be lent to a tool (see lend_thread), but not more of them than `threads`.
/// `outside`: how often wait_outside() is true at a time; there is a thread more for each.
class SystemConfig : public caf::actor_system_config {
 public:
  explicit SystemConfig(std::size_t threads, std::size_t slots = 0, std::size_t outside = 0);
  [[nodiscard]] const RunLimits& run_limits() const { return limits_; }

 private:
  RunLimits limits_;
};

/// `wait` is called again and again, by one thread at a time, until it is false: it waits for something outside, such as the network, and sends what
/// came to actors. The first actor that it makes ready runs right after it on the same thread, so no other is woken for it, and another thread calls
/// `wait` meanwhile. Where that cannot be, the actor goes to the queue. False, and it is never called: enough wait outside or are about to, or the
/// system has another scheduler (tests). It has to have ended before the system does.
[[nodiscard]] bool wait_outside(caf::actor_system& system, std::function<bool()> wait);

}  // namespace catena::actors
