#pragma once
// What the dispatcher knows of why chains get no workers.
#include <caf/actor_addr.hpp>

#include "coordinator/dispatcher.hpp"

namespace catena::coordinator {

/// Of one chain, behind what it says itself.
[[nodiscard]] actors::Explained explained(const DispatcherState& state, const actors::ExplainWants& ask, const caf::actor_addr& chain);
/// Of all chains that want workers, by reason, behind what is known already. Those that most chains wait for come first.
[[nodiscard]] actors::Queue queue_of(const DispatcherState& state, const actors::AskQueue& ask);

}  // namespace catena::coordinator
