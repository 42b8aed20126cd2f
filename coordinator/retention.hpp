#pragma once
// Which chains have been kept for long enough. Pure.
#include <array>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "coordinator/services.hpp"
#include "engine/phase.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {

inline constexpr std::array kStatusesThatEnd{engine::ChainStatus::succeeded, engine::ChainStatus::failed, engine::ChainStatus::cancelled};

/// How long chains that ended so are kept; none: for ever.
[[nodiscard]] std::optional<Millis> kept_for(const Retention& retention, engine::ChainStatus status);
/// How often it pays to look; none: nothing is ever removed.
[[nodiscard]] std::optional<Millis> look_every(const Retention& retention);

/// Of a part of the index: submitted chains of this status that had ended by then. Children go with them.
[[nodiscard]] std::vector<ChainId> ended_by(const std::vector<storage::ChainSummary>& page, engine::ChainStatus status, UnixMillis by);

}  // namespace catena::coordinator
