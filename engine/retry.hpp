#pragma once
// How long to wait before the next attempt, or to give up: a pure function of policy, error, attempt and seed.
#include <optional>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "lang/program.hpp"

namespace catena::engine {

/// The pause before attempt `failed` + 1: initial_interval * backoff^(failed - 1), at most max_interval, plus or minus jitter.
[[nodiscard]] Millis backoff(const lang::RetryPolicy& policy, std::uint32_t failed, std::uint64_t seed);

/// The pause, or nothing when the task has failed for good: the error says so, the policy names its code, or attempts are used up.
[[nodiscard]] std::optional<Millis> next_attempt(const lang::RetryPolicy& policy, const Error& error, std::uint32_t failed, std::uint64_t seed);

}  // namespace catena::engine
