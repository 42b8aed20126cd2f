#pragma once
// Waiting for a child process and its pipes: what a conversation and a process that is asked line by line have in common.
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "base/time.hpp"

namespace catena::worker {

/// A pipe holds at most this much (pipe-max-size): all that a process can have left behind in one.
inline constexpr std::size_t kPipeBytesMax = 1UL << 20U;
/// A timeout is cut to this: later points in time do not fit the clock.
inline constexpr Millis kPollTimeoutMax = std::chrono::hours{24 * 365};
/// How often the stop flag is looked at when no descriptor was left to wait for it.
inline constexpr Millis kStopCheck{100};

[[nodiscard]] inline ::pollfd poll_entry(int fd, short events) { return {.fd = fd, .events = events, .revents = 0}; }

/// Waits until something happened to one of them, or so long. False when interrupted: what poll says about the descriptors is then void.
[[nodiscard]] bool poll_for(std::span<::pollfd> waited, std::optional<std::chrono::nanoseconds> left);

}  // namespace catena::worker
