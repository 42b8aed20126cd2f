#pragma once
// What a chain that sleeps leaves in memory: it comes back from that, and nothing of it is read. Only where that is little; what is not kept is read
// from the chain's records, so this may be dropped at any time. Pure.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/webhooks.hpp"
#include "coordinator/strikes.hpp"
#include "storage/chain_summary.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// What a chain's summary says that its coordinator goes on with.
struct Listed {
  storage::IndexedAs as;
  std::optional<std::uint32_t> settled;  // steps; none: it may be wrong
  std::optional<Strikes> strikes;
  std::vector<Webhook> webhooks;
  storage::Durability durability = storage::Durability::sync;
  std::int32_t priority = 0;
};
[[nodiscard]] Listed listed_of(const storage::ChainSummary& summary);

/// Of one chain: its state is no longer than this, or it is not kept.
inline constexpr std::size_t kRestingStateMax = 4UL << 10U;

struct Resting {
  std::string state;  // as in a checkpoint
  Sequence checkpointed = 0;
  Listed listed;
  bool only_computes = false;  // what is left of it: its next turn may be its last, without an actor (see short_chain.hpp)
};
/// Of memory, about.
[[nodiscard]] inline std::size_t bytes_of(const Resting& resting) { return sizeof resting + resting.state.capacity(); }

}  // namespace catena::coordinator
