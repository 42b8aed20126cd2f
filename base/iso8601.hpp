#pragma once
// Reading points in time as people and other programs write them.
#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace catena {

/// A time as it is written: what clocks of its place show, and how far these are ahead of UTC, if that is said.
struct WrittenTime {
  Millis local{0};
  std::optional<Millis> offset;
};
/// Reads ISO 8601, as parse_iso8601 does.
[[nodiscard]] std::optional<WrittenTime> read_iso8601(std::string_view text);

/// Reads ISO 8601: a date, or date and time with `Z` or an offset (`+02:00`), seconds and their fraction optional; without an offset UTC.
/// Empty when it is none, or no such day or time exists.
[[nodiscard]] std::optional<UnixMillis> parse_iso8601(std::string_view text);

}  // namespace catena
