#include "engine/retry.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace catena::engine {

Millis backoff(const lang::RetryPolicy& policy, std::uint32_t failed, std::uint64_t seed) {
  const double longest = static_cast<double>(policy.max_interval.count());
  double pause = static_cast<double>(policy.initial_interval.count()) * std::pow(policy.backoff, static_cast<double>(failed) - 1.0);
  pause = std::min(pause, longest);                                                // also where the power overflowed to infinity
  const double unit = static_cast<double>(mix(seed + failed) >> 11U) * 0x1.0p-53;  // [0, 1)
  pause *= 1.0 + policy.jitter * (2.0 * unit - 1.0);
  return Millis{std::llround(std::clamp(pause, 0.0, longest))};
}

std::optional<Millis> retry_after(const Error& error, Millis most) {
  if (!error.details.is_object()) return std::nullopt;
  const auto asked = error.details.find("retry_after_ms");
  if (asked == error.details.end() || !asked->is_number_integer()) return std::nullopt;
  if (asked->is_number_unsigned()) {
    const auto longest = static_cast<std::uint64_t>(most.count());
    return Millis{static_cast<Millis::rep>(std::min(asked->get<std::uint64_t>(), longest))};
  }
  return std::clamp(Millis{asked->get<std::int64_t>()}, Millis{0}, most);
}

Millis postponement(const lang::RetryPolicy& policy, const Error& error) {
  return retry_after(error, kPostponedMax).value_or(policy.initial_interval);
}

namespace {

/// The tool failed, not the evaluation around it: that would give the same again.
bool of_tool(Code code) {
  switch (code) {
    case Code::tool_failed:
    case Code::tool_temporary:
    case Code::tool_output_invalid:
    case Code::tool_output_too_large:
    case Code::tool_timeout:
    case Code::tool_killed:
    case Code::tool_not_started:
    case Code::connection_failed:
    case Code::in_doubt:
    case Code::worker_lost:
    case Code::items_failed:
    case Code::child_failed:
    case Code::file_not_found:
    case Code::file_version_not_found: return true;
    default: return false;
  }
}

}  // namespace

std::optional<Millis> next_attempt(const lang::RetryPolicy& policy, const Error& error, std::uint32_t failed, std::uint64_t seed) {
  if (!error.retryable && !(policy.any_failure && of_tool(error.code))) return std::nullopt;
  if (std::ranges::find(policy.non_retryable, name(error.code)) != policy.non_retryable.end()) return std::nullopt;
  if (policy.max_attempts != 0 && failed >= policy.max_attempts) return std::nullopt;
  return std::max(backoff(policy, failed, seed), retry_after(error, kRetryAfterMax).value_or(Millis{0}));
}

}  // namespace catena::engine
