#pragma once
// Who sent the message that an actor handles.
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/local_actor.hpp>

namespace catena::coordinator {

/// Empty when the message names no sender.
[[nodiscard]] inline caf::actor sender_of(caf::local_actor& self) { return caf::actor_cast<caf::actor>(self.current_sender()); }

}  // namespace catena::coordinator
