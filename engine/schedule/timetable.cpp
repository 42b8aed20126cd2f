#include "engine/schedule/timetable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace catena::engine {
namespace {

/// Nine years: 29 February comes within eight, also around 2100.
constexpr std::int64_t kHorizonSeconds = 9LL * 366 * 86'400;

std::int64_t whole_seconds_of(UnixMillis at) { return std::chrono::floor<std::chrono::seconds>(Millis{at}).count(); }
std::int64_t seconds_of(Millis span) { return std::chrono::floor<std::chrono::seconds>(span).count(); }

/// The first second of UTC in `first`..`last` at which a clock that is `ahead` of it shows what is meant.
std::optional<std::int64_t> first_between(const Cron& cron, std::int64_t first, std::int64_t last, std::int64_t ahead) {
  if (first > last) return std::nullopt;
  const auto found = first_match(cron, first + ahead, last + ahead);
  return found ? std::optional{*found - ahead} : std::nullopt;
}

/// Within one stretch of the zone, in which clocks run without being set. `first`, `last`: seconds of UTC in it.
std::optional<std::int64_t> first_in_stretch(const ByClock& by, const TimeZone::Stretch& stretch, std::int64_t first, std::int64_t last) {
  const auto ahead = seconds_of(stretch.offset);
  const auto began = whole_seconds_of(stretch.from);
  const auto before = stretch.from <= TimeZone::kAlways ? ahead : seconds_of(by.zone.offset_at(stretch.from - 1));
  const auto set_forward = ahead - before;
  if (set_forward < 0 && !by.cron.follows_clock) first = std::max(first, began - set_forward);  // what clocks show for the second time
  const auto shown = first_between(by.cron, first, last, ahead);
  if (set_forward <= 0) return shown;
  // What they passed over, by the clock as it went before.
  const auto passed_over = first_between(by.cron, first, std::min(last, began + set_forward - 1), before);
  if (!passed_over) return shown;
  return shown ? std::min(*shown, *passed_over) : passed_over;
}

std::optional<UnixMillis> next_of(const Every& every, UnixMillis at) {
  const auto interval = every.interval.count();
  const auto passed = at - every.anchor;
  const auto steps = passed < 0 ? 1 : passed / interval + 1;
  return every.anchor + steps * interval;
}

std::optional<UnixMillis> next_of(const ByClock& by, UnixMillis at) {
  auto first = whole_seconds_of(at) + 1;
  const auto horizon = first + kHorizonSeconds;
  while (first <= horizon) {
    const auto stretch = by.zone.stretch_at(first * 1000);
    const auto last = std::min(horizon, whole_seconds_of(stretch.until) - 1);
    if (const auto found = first_in_stretch(by, stretch, first, last)) return *found * 1000;
    first = std::max(last, first) + 1;
  }
  return std::nullopt;
}

}  // namespace

Result<Timetable> Timetable::by_cron(std::string_view cron, std::string_view zone) {
  auto parsed = parse_cron(cron);
  if (!parsed) return fail(std::move(parsed).error());
  auto found = TimeZone::find(zone.empty() ? "UTC" : zone);
  if (!found) {
    auto error = std::move(found).error();
    if (error.code == Code::expression_value) error.code = Code::schedule_invalid;
    return fail(std::move(error));
  }
  return Timetable{ByClock{*parsed, *found}};
}

Result<Timetable> Timetable::by_interval(Millis interval, UnixMillis anchor) {
  if (interval < kIntervalLeast || interval > kIntervalMost || interval.count() % 1000 != 0) {
    return fail(Code::schedule_invalid, fmt::format("an interval is a whole number of seconds, from {} to {}, and not {}", to_string(kIntervalLeast),
                                                    to_string(kIntervalMost), to_string(interval)));
  }
  return Timetable{Every{interval, anchor / 1000 * 1000}};
}

std::optional<UnixMillis> Timetable::next_after(UnixMillis at) const {
  return std::visit([&](const auto& by) { return next_of(by, at); }, by_);
}

}  // namespace catena::engine
