#pragma once
// What the supervisor does to have chains removed: it says which may go, and keeps everybody else from them until they are gone.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

void remove_chains(SupervisorSelf self, const actors::RemoveChains& remove);
/// Error chain_state: this chain, or the one that it belongs to, is being removed.
[[nodiscard]] Result<void> check_not_removed(const SupervisorState& state, const ChainId& chain);

}  // namespace catena::coordinator
