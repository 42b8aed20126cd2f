#pragma once
// What the supervisor does to end chains with all their descendants, whether those live or not.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// Tells all descendants of a chain that live, at once; those below a chain with final steps hear of it from above.
void cancel_descendants(SupervisorSelf self, const actors::Control& control);
/// A step wants a child of its chain to end; it is answered when the child has.
void cancel_child(SupervisorSelf self, const actors::CancelChild& cancel);
/// The next of the chains that do not live.
void go_on_sweeping(SupervisorSelf self);
/// A chain that lived has ended, or does not come back: who ends its family may wait for it.
void tell_sweep(SupervisorSelf self, const ChainId& chain, const Sweep::Answer& answer);
/// What was written by this commit is durable.
void answer_swept(SupervisorSelf self, actors::CommitNumber commit);

}  // namespace catena::coordinator
