#pragma once
// Ends a chain that does not live, without an actor: the inputs that would have ended it are decided over its folded state, and their events
// are written like any others. So its journal, its summary and a retry of its parent find what they would have found otherwise.
#include <string>
#include <vector>

#include "base/time.hpp"
#include "coordinator/recover.hpp"

namespace catena::coordinator {

/// Child chains that were on their way for its items.
[[nodiscard]] std::vector<ChainId> children_of(const ChainId& chain, const engine::ChainState& state, const lang::Program& program);

/// Cancels a chain that runs or is paused, whose children have ended, and which has no final steps to run. What ran of it counts as lost: nobody
/// stopped it. The events, and its summary, go to the batch; the state that they come to is terminal. Errors: those of put_summary.
[[nodiscard]] Result<engine::ChainState> cancel_folded(const ChainId& chain, Recovered recovered, std::shared_ptr<const lang::Program> program,
                                                       const engine::Cancel& cancel, UnixMillis now, storage::Batch& batch);

}  // namespace catena::coordinator
