#include "coordinator/retention.hpp"

#include <algorithm>

namespace catena::coordinator {
namespace {

constexpr std::int64_t kLooksWithinRetention = 20;
constexpr Millis kLookLeast{50};
constexpr Millis kLookMost{60'000};

}  // namespace

std::optional<Millis> kept_for(const Retention& retention, engine::ChainStatus status) {
  using enum engine::ChainStatus;
  switch (status) {
    case succeeded: return retention.succeeded;
    case failed: return retention.failed;
    case cancelled: return retention.cancelled;
    case pending:
    case running:
    case paused:
    case quarantined: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Millis> look_every(const Retention& retention) {
  std::optional<Millis> shortest;
  for (const auto status : kStatusesThatEnd) {
    if (const auto kept = kept_for(retention, status)) shortest = std::min(shortest.value_or(*kept), *kept);
  }
  if (!shortest) return std::nullopt;
  return std::clamp(Millis{shortest->count() / kLooksWithinRetention}, kLookLeast, kLookMost);
}

std::vector<ChainId> ended_by(const std::vector<storage::ChainSummary>& page, engine::ChainStatus status, UnixMillis by) {
  std::vector<ChainId> chains;
  for (const auto& summary : page) {
    if (summary.parent.empty() && summary.status == engine::name(status) && summary.finished_at != 0 && summary.finished_at <= by)
      chains.push_back(summary.id);
  }
  return chains;
}

}  // namespace catena::coordinator
