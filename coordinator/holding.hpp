#pragma once
// Child chains are paused, and go on, with the chain that started them; its priority is theirs.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// To the children that live. Each tells its own, once that is durable. One that dies with the message hears it at its birth: see ChainContext.
void hold_children(SupervisorSelf self, const actors::HoldChildren& hold);

}  // namespace catena::coordinator
