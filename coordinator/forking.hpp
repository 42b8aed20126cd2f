#pragma once
// How the supervisor begins a chain with what another one had come to: an actor of its own copies what the two share (fork_copier), then the new
// chain begins, in the commit that takes the mark of the copy away.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

void fork_chain(SupervisorSelf self, const actors::ForkChain& fork, const caf::actor& asker);
/// What it shares is there.
void begin_fork(SupervisorSelf self, const actors::ForkCopied& copied);
/// A fork is durable, or does not begin: who asked is told, and what may have been copied of it goes. False: there is none of this id.
bool settle_fork(SupervisorSelf self, const ChainId& chain, const Error* error, bool copied = true);
/// An actor that is no coordinator of a chain has ended.
void mourn_copier(SupervisorSelf self, const caf::actor_addr& copier);

/// The process ends: what was copied goes at the next start.
void end_copiers(SupervisorSelf self);

/// Its records are being copied: they stay.
[[nodiscard]] bool is_being_forked(const SupervisorState& state, const ChainId& chain);

}  // namespace catena::coordinator
