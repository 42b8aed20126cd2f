#pragma once
// What the summary of a chain says: written whenever its status or the number of its settled steps changes, never for an item. A list is
// made of summaries alone.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/webhooks.hpp"
#include "engine/state.hpp"
#include "storage/chain_summary.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

[[nodiscard]] storage::ChainSummary summary_of(const ChainId& chain, const std::string& name, const engine::ChainState& state,
                                               storage::Durability durability, std::int32_t priority);

/// What a summary says of how its chain is run.
[[nodiscard]] storage::Durability durability_of(const storage::ChainSummary& summary);
[[nodiscard]] std::int32_t priority_of(const storage::ChainSummary& summary);
/// When the chain fails by its deadline; 0: it has none.
[[nodiscard]] UnixMillis deadline_of(const storage::ChainSummary& summary);

struct StepCounts {
  std::uint32_t steps = 0;
  std::uint32_t settled = 0;
  bool current = false;  // false: an earlier version wrote it, which did so only when the status changed
};
[[nodiscard]] StepCounts step_counts_of(const storage::ChainSummary& summary);

/// Why it failed: the code and the beginning of the message.
[[nodiscard]] std::optional<Error> error_of(const storage::ChainSummary& summary);
/// The context that it was submitted with, as JSON; nothing where there is none, or it is too large for an index. Children have their parent's.
[[nodiscard]] std::optional<std::string> context_of(const storage::ChainSummary& summary);
[[nodiscard]] bool has_large_context(const storage::ChainSummary& summary);

/// The webhooks that it was submitted with: the chain's summary keeps them, as long as there is one.
void note_webhooks(storage::ChainSummary& summary, const std::vector<Webhook>& webhooks);
[[nodiscard]] std::vector<Webhook> webhooks_of(const storage::ChainSummary& summary);

}  // namespace catena::coordinator
