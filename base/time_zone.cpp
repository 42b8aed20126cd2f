#include "base/time_zone.hpp"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/suggest.hpp"

namespace catena {
namespace {

const date::time_zone& zone_of(const void* zone) { return *static_cast<const date::time_zone*>(zone); }

date::sys_seconds whole_seconds(UnixMillis at) { return date::floor<std::chrono::seconds>(date::sys_time<Millis>{Millis{at}}); }

/// "+02:00", "+0200", "-07"; nothing: it is none.
std::optional<Millis> parse_offset(std::string_view text) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const bool ahead = text.front() == '+';
  std::string digits{text.substr(1)};
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if ((digits.size() != 2 && digits.size() != 4) || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  const auto number = [&](std::size_t at) { return (digits[at] - '0') * 10 + (digits[at + 1] - '0'); };
  const auto minutes = digits.size() == 4 ? number(2) : 0;
  if (number(0) > 23 || minutes > 59) return std::nullopt;
  const Millis offset = std::chrono::hours{number(0)} + std::chrono::minutes{minutes};
  return ahead ? offset : -offset;
}

std::vector<std::string> zone_names(const std::vector<date::time_zone>& zones) {
  std::vector<std::string> names;
  for (const auto& zone : zones) names.push_back(zone.name());
  return names;
}

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) {
  TimeZone made;
  if (name == "UTC" || name == "Z" || name == "GMT") return made;
  if (const auto offset = parse_offset(name)) {
    made.fixed_ = *offset;
    return made;
  }
  try {
    const auto& zones = date::get_tzdb().zones;  // in the order of their names
    const auto zone = std::ranges::lower_bound(zones, name, {}, [](const date::time_zone& one) { return std::string_view{one.name()}; });
    if (zone == zones.end() || zone->name() != name) {
      return fail(Code::expression_value,
                  fmt::format("there is no time zone '{}'{}; it is a name such as Europe/Berlin, UTC, or an offset such as +02:00", name,
                              did_you_mean(name, zone_names(zones))));
    }
    made.zone_ = &*zone;
    static_cast<void>(made.offset_at(0));  // reads the zone's file, which is kept
    return made;
  } catch (const std::exception& error) {
    return fail(Code::feature_unavailable, fmt::format("the time zones of this machine cannot be read ({}); install tzdata", error.what()));
  }
}

Millis TimeZone::offset_at(UnixMillis at) const { return zone_ == nullptr ? fixed_ : Millis{zone_of(zone_).get_info(whole_seconds(at)).offset}; }

UnixMillis TimeZone::at_local(Millis local) const {
  if (zone_ == nullptr) return (local - fixed_).count();
  const auto info = zone_of(zone_).get_info(date::floor<std::chrono::seconds>(date::local_time<Millis>{local}));
  return (local - Millis{info.first.offset}).count();
}

TimeZone::Stretch TimeZone::stretch_at(UnixMillis at) const {
  if (zone_ == nullptr) return {kAlways, kForEver, fixed_};
  const auto info = zone_of(zone_).get_info(whole_seconds(at));
  const auto millis = [](date::sys_seconds time) { return Millis{time.time_since_epoch()}.count(); };
  constexpr date::sys_seconds kFirst{std::chrono::seconds{kAlways / 1000}};
  constexpr date::sys_seconds kLast{std::chrono::seconds{kForEver / 1000}};
  return {millis(std::max(info.begin, kFirst)), millis(std::min(info.end, kLast)), Millis{info.offset}};
}

std::string TimeZone::abbreviation(UnixMillis at) const {
  if (zone_ == nullptr) return fixed_.count() == 0 ? "UTC" : offset_text(fixed_);
  return zone_of(zone_).get_info(whole_seconds(at)).abbrev;
}

std::string offset_text(Millis offset) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(offset).count();
  const auto size = minutes < 0 ? -minutes : minutes;
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

}  // namespace catena
