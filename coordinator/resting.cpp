#include "coordinator/resting.hpp"

#include "coordinator/summaries.hpp"

namespace catena::coordinator {

Listed listed_of(const storage::ChainSummary& summary) {
  Listed listed;
  listed.as = {summary.status, summary.started_at, summary.name};
  if (const auto counts = step_counts_of(summary); counts.current) listed.settled = counts.settled;
  listed.strikes = strikes_of(summary);
  listed.webhooks = webhooks_of(summary);
  listed.durability = durability_of(summary);
  listed.priority = priority_of(summary);
  return listed;
}

}  // namespace catena::coordinator
