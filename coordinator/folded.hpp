#pragma once
// Ends a chain that does not live, without an actor: the inputs that would have ended it are decided over its folded state, and their events
// are written like any others. So its journal, its summary and a retry of its parent find what they would have found otherwise.
#include <string>
#include <vector>

#include "base/time.hpp"
#include "coordinator/recover.hpp"

namespace catena::coordinator {

struct FoldedEnd {
  engine::ChainState state;       // terminal
  std::vector<ChainId> children;  // that were on their way, and are to end as well
};

/// Cancels a chain that runs or is paused. What ran of it counts as lost: nobody stopped it. The events, and its summary, go to the batch.
/// Errors: storage_corrupt, where it does not fit its package.
[[nodiscard]] Result<FoldedEnd> cancel_folded(const ChainId& chain, Recovered recovered, const lang::Package& package, const std::string& reason,
                                              UnixMillis now, storage::Batch& batch);

}  // namespace catena::coordinator
