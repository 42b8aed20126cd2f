#pragma once
// How long to wait before the next attempt, or to give up: a pure function of policy, error, attempt and seed.
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "lang/program/program.hpp"

namespace catena::engine {

/// The pause before attempt `failed` + 1: initial_interval * backoff^(failed - 1), at most max_interval, plus or minus jitter.
[[nodiscard]] Millis backoff(const lang::RetryPolicy& policy, std::uint32_t failed, std::uint64_t seed);

/// However long an error asks to be waited for, no longer: an attempt that failed, and one that was postponed.
inline constexpr Millis kRetryAfterMax = std::chrono::hours{1};
inline constexpr Millis kPostponedMax = std::chrono::hours{24 * 366};

/// What an error asks to wait before the next attempt: the integer `retry_after_ms` of its details.
[[nodiscard]] std::optional<Millis> retry_after(const Error& error, Millis most);

/// How long an attempt that asked to be made again later waits: what its error asks for, else the policy's first pause.
[[nodiscard]] Millis postponement(const lang::RetryPolicy& policy, const Error& error);

/// The pause, at least what the error asks for, or nothing when the task has failed for good: the error says so, the policy names its code, or
/// attempts are used up.
[[nodiscard]] std::optional<Millis> next_attempt(const lang::RetryPolicy& policy, const Error& error, std::uint32_t failed, std::uint64_t seed);

}  // namespace catena::engine
