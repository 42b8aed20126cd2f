#include "base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace catena {
namespace {

struct Unit {
  std::string_view suffix;
  std::int64_t millis;
};
// Longest first: to_string takes the first that divides, parse_duration the one that matches whole.
constexpr std::array kUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};
constexpr double kLongestMillis = 100.0 * 365 * 86'400'000;  // a century

}  // namespace

std::optional<Millis> parse_duration(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string_view::npos || text.front() == '.') return std::nullopt;
  double amount = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + digits, amount);
  if (ec != std::errc{} || end != text.data() + digits) return std::nullopt;
  for (const auto& unit : kUnits) {
    if (text.substr(digits) != unit.suffix) continue;
    const double millis = amount * static_cast<double>(unit.millis);
    if (millis > kLongestMillis) return std::nullopt;
    return Millis{std::llround(millis)};
  }
  return std::nullopt;
}

std::string to_string(Millis span) {
  for (const auto& unit : kUnits) {
    if (span.count() != 0 && span.count() % unit.millis == 0) return fmt::format("{}{}", span.count() / unit.millis, unit.suffix);
  }
  return "0ms";
}

std::string iso8601(UnixMillis at) {
  auto seconds = static_cast<std::time_t>(at / 1000);
  auto millis = static_cast<int>(at % 1000);
  if (millis < 0) {
    millis += 1000;
    --seconds;
  }
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  const int year = utc.tm_year + 1900;
  if (year < 0 || year > 9999) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", year, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, millis);
  }
  std::string text{"0000-00-00T00:00:00.000Z"};
  // The record of a chain has two times in each row: to read a format for each took ten times as long.
  const auto put = [&text](std::size_t last, int number) {
    for (; number > 0; --last, number /= 10) text[last] = static_cast<char>('0' + number % 10);
  };
  put(3, year);
  put(6, utc.tm_mon + 1);
  put(9, utc.tm_mday);
  put(12, utc.tm_hour);
  put(15, utc.tm_min);
  put(18, utc.tm_sec);
  put(22, millis);
  return text;
}

}  // namespace catena
