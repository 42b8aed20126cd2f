#pragma once
// Chains whose coordinator has ended come back from their records: those that died, those that slept and are wanted, and those that a start goes on
// with. Where the store cannot be read at the moment that is tried again later, more and more slowly: a read that fails costs time, and no chain.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// How long to wait after so many reads that failed: from 50 ms to 10 s.
[[nodiscard]] Millis reading_pause(std::uint32_t failures);

/// A coordinator died of a defect, or because it could not read the store. It is rebuilt from the journal, where everything it knew is once
/// its last commits are written: reading earlier would give two events one number.
void mourn(SupervisorSelf self, const ChainId& chain, const caf::error& reason);
/// The commit that stands behind those of a dead one is written.
void rebuild_after(SupervisorSelf self, actors::CommitNumber commit);
/// A chain that is to be brought back, if that has not happened yet.
void wake_now(SupervisorSelf self, ChainKey key);

/// A chain that a start goes on with stands among those that sleep, and nothing of it is read before its turn comes, as if it had been due, or
/// before somebody wants something of it. While memory is short none comes by its turn.
void come_in_turn(SupervisorSelf self, const ChainId& chain, actors::ResumedBy by);
/// Error: chain_state.
[[nodiscard]] Result<void> check_unfinished(const ChainId& chain, const engine::ChainState& state);

}  // namespace catena::coordinator
