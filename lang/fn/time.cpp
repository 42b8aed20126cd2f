#include "base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/date_text.hpp"
#include "base/iso8601.hpp"
#include "base/suggest.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

namespace ch = std::chrono;

constexpr UnixMillis kSecond = 1000;
constexpr std::uint64_t kDateSteps = 20;  // a zone is looked up, and a date taken apart

struct Unit {
  std::string_view name;  // with an s; it may be left out
  Millis fixed{0};        // 0: as long as the calendar says
  int days = 0;
  int months = 0;
};
constexpr std::array kUnits{Unit{"milliseconds", Millis{1}},  Unit{"seconds", Millis{1000}},  Unit{"minutes", Millis{60'000}},
                            Unit{"hours", Millis{3'600'000}}, Unit{"days", Millis{0}, 1},     Unit{"weeks", Millis{0}, 7},
                            Unit{"months", Millis{0}, 0, 1},  Unit{"years", Millis{0}, 0, 12}};

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& unit : kUnits) names.emplace_back(unit.name);
  return names;
}

Result<const Unit*> unit_of(Invocation& call, std::size_t param) {
  const auto text = call.text(param);
  if (!text) return fail(text.error());
  const auto& wanted = text->get().get_ref<const std::string&>();
  for (const auto& unit : kUnits) {
    if (unit.name == wanted || unit.name.substr(0, unit.name.size() - 1) == wanted) return &unit;
  }
  const auto names = unit_names();
  return call.refuse(Code::expression_value,
                     fmt::format("there is no unit '{}'{}; there are: {}", wanted, did_you_mean(wanted, names), fmt::join(names, ", ")), param);
}

Result<TimeZone> zone_of(Invocation& call, std::size_t param) {
  if (auto paid = call.charge(kDateSteps, 0); !paid) return fail(paid.error());
  const auto text = call.text(param);
  if (!text) return fail(text.error());
  auto zone = TimeZone::find(text->get().get_ref<const std::string&>());
  if (!zone) return call.refuse(zone.error().code, std::move(zone.error().message), param);
  return zone;
}

Result<UnixMillis> checked(Invocation& call, UnixMillis at, std::size_t param) {
  if (at >= kFirstTime && at <= kLastTime) return at;
  return call.refuse(Code::expression_value, "is before the year 1 or after the year 9999", param);
}

/// A time: a text in ISO 8601, or seconds since 1970. A text without an offset is of the zone.
Result<UnixMillis> time_of(Invocation& call, std::size_t param, const TimeZone& zone) {
  const auto value = call.value(param);
  if (!value) return fail(value.error());
  const auto& given = value->get();
  constexpr double kSecondsMax = 1e12;
  if (given.is_number_integer() || given.is_number_float()) {
    const auto seconds = given.get<double>();
    if (!(std::abs(seconds) < kSecondsMax)) return checked(call, kLastTime + 1, param);
    return checked(call, given.is_number_integer() ? given.get<std::int64_t>() * kSecond : std::llround(seconds * static_cast<double>(kSecond)),
                   param);
  }
  if (!given.is_string()) return call.expected("a time: a text in ISO 8601, or seconds since 1970", given, param);
  const auto& text = given.get_ref<const std::string&>();
  const auto written = read_iso8601(text);
  if (!written) {
    return call.refuse(
        Code::expression_value,
        fmt::format("'{}' is no time in ISO 8601, such as 2026-01-31 or 2026-01-31T08:30:00+01:00; datetime_parse reads other formats", text), param);
  }
  return checked(call, written->offset ? (written->local - *written->offset).count() : zone.at_local(written->local), param);
}

/// `count` units later. Days and longer are those of the zone's calendar: a day later the clocks show the same. Nothing: too far away.
std::optional<UnixMillis> later(UnixMillis at, std::int64_t count, const Unit& unit, const TimeZone& zone) {
  constexpr std::int64_t kCountMax = 400'000'000'000'000;  // milliseconds of 10,000 years are less
  if (count > kCountMax || count < -kCountMax) return std::nullopt;
  if (unit.fixed.count() != 0) {
    if (std::abs(count) > kCountMax / unit.fixed.count()) return std::nullopt;
    return at + count * unit.fixed.count();
  }
  constexpr std::int64_t kDaysMax = 4'000'000;
  if (std::abs(count) > kDaysMax) return std::nullopt;
  const auto local = zone.local_at(at);
  auto days = ch::sys_days{ch::floor<ch::days>(local)};
  const auto clock = local - days.time_since_epoch();
  if (unit.months == 0) return zone.at_local((days + ch::days{count * unit.days}).time_since_epoch() + clock);
  const ch::year_month_day date{days};
  const auto month = ch::year_month{date.year(), date.month()} + ch::months{static_cast<int>(count) * unit.months};
  if (!month.ok() || static_cast<int>(month.year()) < 0 || static_cast<int>(month.year()) > 10'000) return std::nullopt;
  const ch::year_month_day_last end{month.year(), ch::month_day_last{month.month()}};
  days = ch::sys_days{month / std::min(date.day(), end.day())};
  return zone.at_local(days.time_since_epoch() + clock);
}

/// How many whole units later `end` is; `start` is not after it.
std::int64_t whole_units(UnixMillis start, UnixMillis end, const Unit& unit, const TimeZone& zone) {
  if (unit.fixed.count() != 0) return (end - start) / unit.fixed.count();
  constexpr UnixMillis kLongestDay = 25 * 3'600'000;
  constexpr UnixMillis kLongestMonth = 32 * kLongestDay;
  const auto longest = unit.months != 0 ? unit.months * kLongestMonth : unit.days * kLongestDay;
  std::int64_t low = (end - start) / longest;  // surely not too many
  std::int64_t high = (end - start) / (longest / 2) + 2;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    const auto there = later(start, middle, unit, zone);
    (there && *there <= end ? low : high) = middle;
  }
  return low;
}

}  // namespace

Result<Value> datetime_now(Invocation& call) {
  const auto format = call.text(0);
  if (!format) return format;
  const auto& wanted = format->get().get_ref<const std::string&>();
  if (wanted == "iso") return Value{iso8601(call.now())};
  if (wanted == "unix") return Value{call.now() / kSecond};
  return call.refuse(Code::expression_value, fmt::format("must be \"iso\" or \"unix\", not \"{}\"; datetime_format writes other formats", wanted), 0);
}

Result<Value> datetime_parse(Invocation& call) {
  const auto text = call.text(0);
  if (!text) return text;
  const auto format = call.text(1);
  if (!format) return format;
  const auto zone = zone_of(call, 2);
  if (!zone) return fail(zone.error());
  const auto& wanted = format->get().get_ref<const std::string&>();
  if (wanted == "iso") {
    const auto at = time_of(call, 0, *zone);
    if (!at) return fail(at.error());
    return Value{iso8601(*at)};
  }
  if (auto paid = call.charge(wanted.size(), wanted.size()); !paid) return fail(paid.error());
  auto at = parse_date(text->get().get_ref<const std::string&>(), wanted, *zone);
  if (!at) return call.refuse(at.error().code, std::move(at.error().message), 0);
  return Value{iso8601(*at)};
}

Result<Value> datetime_format(Invocation& call) {
  const auto zone = zone_of(call, 2);
  if (!zone) return fail(zone.error());
  const auto at = time_of(call, 0, *zone);
  if (!at) return fail(at.error());
  const auto format = call.text(1);
  if (!format) return format;
  const auto& wanted = format->get().get_ref<const std::string&>();
  if (wanted == "unix") return Value{*at / kSecond};
  if (wanted == "iso") {
    const auto offset = zone->offset_at(*at);
    auto text = iso8601(*at + offset.count());
    if (offset.count() != 0) text.replace(text.size() - 1, 1, offset_text(offset));
    return Value{std::move(text)};
  }
  constexpr std::uint64_t kLongestField = 10;
  if (auto paid = call.charge(wanted.size(), wanted.size() * kLongestField); !paid) return fail(paid.error());
  auto text = format_date(*at, wanted, *zone);
  if (!text) return call.refuse(text.error().code, std::move(text.error().message), 1);
  return Value{std::move(*text)};
}

Result<Value> datetime_add(Invocation& call) {
  const auto zone = zone_of(call, 3);
  if (!zone) return fail(zone.error());
  const auto at = time_of(call, 0, *zone);
  if (!at) return fail(at.error());
  const auto amount = call.integer(1);
  if (!amount) return fail(amount.error());
  const auto unit = unit_of(call, 2);
  if (!unit) return fail(unit.error());
  const auto there = later(*at, *amount, **unit, *zone);
  if (!there || *there < kFirstTime || *there > kLastTime)
    return call.refuse(Code::expression_value, "leads before the year 1 or after the year 9999", 1);
  return Value{iso8601(*there)};
}

Result<Value> datetime_diff(Invocation& call) {
  const auto zone = zone_of(call, 3);
  if (!zone) return fail(zone.error());
  const auto start = time_of(call, 0, *zone);
  if (!start) return fail(start.error());
  const auto end = time_of(call, 1, *zone);
  if (!end) return fail(end.error());
  const auto unit = unit_of(call, 2);
  if (!unit) return fail(unit.error());
  if (*start <= *end) return Value{whole_units(*start, *end, **unit, *zone)};
  return Value{-whole_units(*end, *start, **unit, *zone)};
}

}  // namespace catena::lang::fn
