#pragma once
// What those actors may believe that nodes can reach. CAF lets whoever has a link send anything that can be serialised to any actor whose
// address it knows: also the messages that CAF itself sends, and atoms.
#include <caf/local_actor.hpp>

namespace catena::coordinator {

/// The message at hand was sent by an actor of this process.
[[nodiscard]] inline bool from_here(caf::local_actor& self) { return self.current_sender() != nullptr && self.current_sender()->node() == self.node(); }

/// Nobody elsewhere ends an actor of this process.
[[nodiscard]] inline bool may_end(caf::local_actor& self, const caf::exit_msg& exit) { return !exit.source || exit.source.node() == self.node(); }

/// It comes from the actor that ended. Not for those that nobody held any more: they have no address when it is sent.
[[nodiscard]] inline bool has_ended(caf::local_actor& self, const caf::down_msg& down) {
  return self.current_sender() != nullptr && down.source == caf::actor_cast<caf::actor_addr>(self.current_sender());
}

}  // namespace catena::coordinator
