#pragma once
// Points and spans of time, in milliseconds. Wall clock: waiting goes on after a restart, so it must survive one.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace catena {

using Millis = std::chrono::milliseconds;

/// Milliseconds since the Unix epoch, UTC.
using UnixMillis = std::int64_t;

/// Reads "250ms", "5s", "2m", "1h", "7d" (a non-negative number, decimals allowed, and a unit). Empty when it is not one
/// or does not fit.
[[nodiscard]] std::optional<Millis> parse_duration(std::string_view text);

/// The shortest exact form that parse_duration reads back: 90000 ms is "90s".
[[nodiscard]] std::string to_string(Millis span);

/// ISO 8601 in UTC with milliseconds: 2026-11-21T02:48:11.042Z.
[[nodiscard]] std::string iso8601(UnixMillis at);

}  // namespace catena
