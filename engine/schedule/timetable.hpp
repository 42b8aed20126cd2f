#pragma once
// When a schedule is due. Due times are whole seconds; none depends on when it is asked for, so the same question has one answer after a restart too.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/time_zone.hpp"
#include "engine/schedule/cron.hpp"

namespace catena::engine {

/// Of an interval: the first due time is one interval behind `anchor`.
struct Every {
  Millis interval{0};
  UnixMillis anchor = 0;
};
inline constexpr Millis kIntervalLeast{1000};
inline constexpr Millis kIntervalMost{366LL * 86'400'000};

/// What clocks of a place show, as a cron expression means it.
///
/// Where clocks are set forward, a time that they pass over is due as much later: 02:30 is due when they show 03:30. Where it falls on a time that is
/// due anyway, both are one. Where they are set back, a time that they show twice is due the first time, and both times only where the expression
/// follows the clock (Cron::follows_clock): so each hour of an hourly schedule has its run, and a nightly one runs once.
struct ByClock {
  Cron cron;
  TimeZone zone;
};

class Timetable {
 public:
  /// Errors: schedule_invalid.
  [[nodiscard]] static Result<Timetable> by_cron(std::string_view cron, std::string_view zone);
  [[nodiscard]] static Result<Timetable> by_interval(Millis interval, UnixMillis anchor);

  /// The first due time behind that moment; nothing: there is none within nine years, as of 30 February.
  [[nodiscard]] std::optional<UnixMillis> next_after(UnixMillis at) const;

 private:
  explicit Timetable(std::variant<Every, ByClock> by) : by_{std::move(by)} {}
  std::variant<Every, ByClock> by_;
};

}  // namespace catena::engine
