#pragma once
// What the supervisor knows of why chains do not move.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// With the word that no chain begins, where that is so.
[[nodiscard]] actors::AskExplain with_admission(const SupervisorState& state, actors::AskExplain ask);
/// Of a chain that does not run here.
[[nodiscard]] actors::Explained explained_at_rest(const SupervisorState& state, const actors::AskExplain& ask);
/// To the dispatcher, with the chains that wait for memory, and for room in their families.
void pass_queue_on(SupervisorSelf self, actors::AskQueue ask);

}  // namespace catena::coordinator
