#pragma once
// Life of a chain and of a step's visit. Legal moves are data: documentation, assertion and test oracle in one.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace catena::engine {

enum class ChainStatus : std::uint8_t { pending, running, paused, succeeded, failed, cancelled, quarantined };
enum class VisitStatus : std::uint8_t { blocked, running, completed, failed, skipped, cancelled };

inline constexpr std::array kChainStatusNames{std::string_view{"pending"},    std::string_view{"running"}, std::string_view{"paused"},
                                              std::string_view{"succeeded"},  std::string_view{"failed"},  std::string_view{"cancelled"},
                                              std::string_view{"quarantined"}};
inline constexpr std::array kVisitStatusNames{std::string_view{"blocked"}, std::string_view{"running"}, std::string_view{"completed"},
                                              std::string_view{"failed"},  std::string_view{"skipped"}, std::string_view{"cancelled"}};

[[nodiscard]] constexpr std::string_view name(ChainStatus status) { return kChainStatusNames[static_cast<std::size_t>(status)]; }
[[nodiscard]] constexpr std::string_view name(VisitStatus status) { return kVisitStatusNames[static_cast<std::size_t>(status)]; }
[[nodiscard]] std::optional<ChainStatus> chain_status_named(std::string_view name);
[[nodiscard]] std::optional<VisitStatus> visit_status_named(std::string_view name);

/// Terminal is terminal: only a person's `retry` reopens a failed or cancelled chain, and that is an event of its own.
[[nodiscard]] constexpr bool terminal(ChainStatus status) {
  return status == ChainStatus::succeeded || status == ChainStatus::failed || status == ChainStatus::cancelled;
}
/// It has begun and not ended: it takes what people order.
[[nodiscard]] constexpr bool is_under_way(ChainStatus status) { return status == ChainStatus::running || status == ChainStatus::paused; }
[[nodiscard]] constexpr bool settled(VisitStatus status) { return status != VisitStatus::blocked && status != VisitStatus::running; }

[[nodiscard]] constexpr bool may_move(ChainStatus from, ChainStatus to) {
  using enum ChainStatus;
  switch (from) {
    case pending: return to == running;
    case running: return to == paused || to == succeeded || to == failed || to == cancelled || to == quarantined;
    case paused: return to == running || to == failed || to == cancelled || to == quarantined;
    case failed:
    case cancelled: return to == running;  // retry
    case succeeded:
    case quarantined: return false;
  }
  return false;
}

[[nodiscard]] constexpr bool may_move(VisitStatus from, VisitStatus to) {
  using enum VisitStatus;
  switch (from) {
    case blocked: return to == running || to == skipped || to == failed;
    case running: return to == completed || to == failed || to == cancelled;
    case failed:
    case cancelled: return to == running || to == blocked;  // retry; blocked: it had not been entered
    case skipped: return to == blocked;                     // retry, when what it depends on runs again
    case completed: return to == running || to == blocked;  // retry: some of its items, or all of it because of what it depends on
  }
  return false;
}

static_assert(!may_move(ChainStatus::succeeded, ChainStatus::running));
static_assert(!may_move(ChainStatus::pending, ChainStatus::succeeded));
static_assert(!may_move(VisitStatus::completed, VisitStatus::failed));
static_assert(!may_move(VisitStatus::blocked, VisitStatus::completed));

}  // namespace catena::engine
