#pragma once
// Cron expressions: which moments of a local clock they mean. The days are those of vixie cron.
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace catena::engine {

/// The longest text that is looked at.
inline constexpr std::size_t kCronBytesMax = 1024;

/// A set of small numbers, a bit each.
struct Cron {
  std::uint64_t seconds = 1;   // 0 to 59
  std::uint64_t minutes = 0;   // 0 to 59
  std::uint64_t hours = 0;     // 0 to 23
  std::uint64_t days = 0;      // of the month: 1 to 31
  std::uint64_t months = 0;    // 1 to 12
  std::uint64_t weekdays = 0;  // 0 (Sunday) to 6
  bool days_open = false;      // the field begins with '*', as does the one below: both have to fit then, else one of them is enough
  bool weekdays_open = false;
  bool follows_clock = false;  // the field of hours or of minutes begins with '*': an hour that clocks show twice counts twice

  friend bool operator==(const Cron&, const Cron&) = default;
};

/// Five fields (minute, hour, day of the month, month, weekday), six with seconds before them, or @yearly, @annually, @monthly, @weekly, @daily,
/// @midnight, @hourly. Error: schedule_invalid, with the field and what it may be.
[[nodiscard]] Result<Cron> parse_cron(std::string_view text);

/// Seconds since 1970-01-01T00:00:00 as a local clock shows them, as if it was UTC.
using LocalSeconds = std::int64_t;

/// The first moment at or behind `from` that the expression means, up to `until`; nothing: there is none. Takes time by the days between.
[[nodiscard]] std::optional<LocalSeconds> first_match(const Cron& cron, LocalSeconds from, LocalSeconds until);

}  // namespace catena::engine
