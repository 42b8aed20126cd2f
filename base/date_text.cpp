#include "base/date_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace catena {
namespace {

namespace ch = std::chrono;

constexpr std::array<std::string_view, 12> kMonths{"January", "February", "March",     "April",   "May",      "June",
                                                   "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::size_t kShort = 3;

/// What stands for several others.
std::string_view expansion(char letter) {
  switch (letter) {
    case 'F': return "%Y-%m-%d";
    case 'T': return "%H:%M:%S";
    case 'R': return "%H:%M";
    default: return {};
  }
}

/// With %F, %T and %R written out.
std::string written_out(std::string_view format) {
  std::string whole;
  for (std::size_t at = 0; at < format.size(); ++at) {
    const auto longer = format[at] == '%' && at + 1 < format.size() ? expansion(format[at + 1]) : std::string_view{};
    if (longer.empty()) {
      whole += format[at];
      if (format[at] == '%' && at + 1 < format.size()) whole += format[++at];
    } else {
      whole += longer;
      ++at;
    }
  }
  return whole;
}

tl::unexpected<Error> unknown_letter(std::string_view format, std::size_t at, std::string_view purpose) {
  return fail(Code::expression_value,
              fmt::format("'{}' has no meaning when a date is {}; there are %Y %y %m %d %e %j %H %I %M %S %f %p %a %A %b %B %z %s %F %T %R %%%%{}",
                          format.substr(at, 2), purpose, purpose == "written" ? ", %u %G %V %Z" : ""));
}

/// A time as local clocks and calendars say it.
struct Local {
  explicit Local(Millis local)
      : days{ch::floor<ch::days>(local)}, date{ch::sys_days{days}}, weekday{ch::sys_days{days}}, clock{local - ch::duration_cast<Millis>(days)} {}

  [[nodiscard]] long day_of_year() const { return (ch::sys_days{days} - ch::sys_days{date.year() / 1 / 1}).count() + 1; }
  /// Year and number of the week, by the Thursday that is in it.
  [[nodiscard]] std::pair<int, long> week() const {
    const auto thursday = ch::sys_days{days} + ch::days{4 - static_cast<int>(weekday.iso_encoding())};
    const auto year = ch::year_month_day{thursday}.year();
    return {static_cast<int>(year), (thursday - ch::sys_days{year / 1 / 1}).count() / 7 + 1};
  }

  ch::days days;
  ch::year_month_day date;
  ch::weekday weekday;
  ch::hh_mm_ss<Millis> clock;
};

std::string field_text(char letter, UnixMillis at, const Local& local, const TimeZone& zone) {
  const auto hour = local.clock.hours().count();
  const auto month = static_cast<unsigned>(local.date.month());
  const auto year = static_cast<int>(local.date.year());
  const auto day = static_cast<unsigned>(local.date.day());
  switch (letter) {
    case 'Y': return fmt::format("{:04}", year);
    case 'y': return fmt::format("{:02}", year % 100);
    case 'm': return fmt::format("{:02}", month);
    case 'd': return fmt::format("{:02}", day);
    case 'e': return fmt::format("{:2}", day);
    case 'j': return fmt::format("{:03}", local.day_of_year());
    case 'H': return fmt::format("{:02}", hour);
    case 'I': return fmt::format("{:02}", (hour + 11) % 12 + 1);
    case 'M': return fmt::format("{:02}", local.clock.minutes().count());
    case 'S': return fmt::format("{:02}", local.clock.seconds().count());
    case 'f': return fmt::format("{:03}000", local.clock.subseconds().count());
    case 'p': return hour < 12 ? "AM" : "PM";
    case 'A': return std::string{kDays[local.weekday.c_encoding()]};
    case 'a': return std::string{kDays[local.weekday.c_encoding()].substr(0, kShort)};
    case 'B': return std::string{kMonths[month - 1]};
    case 'b': return std::string{kMonths[month - 1].substr(0, kShort)};
    case 'u': return fmt::format("{}", local.weekday.iso_encoding());
    case 'G': return fmt::format("{:04}", local.week().first);
    case 'V': return fmt::format("{:02}", local.week().second);
    case 'z': {
      auto text = offset_text(zone.offset_at(at));
      std::erase(text, ':');
      return text;
    }
    case 'Z': return zone.abbreviation(at);
    case 's': return fmt::format("{}", ch::floor<ch::seconds>(Millis{at}).count());
    case '%': return "%";
    default: return {};
  }
}

bool alike(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Reads a text along a format.
class DateParser {
 public:
  DateParser(std::string_view text, const TimeZone& zone) : rest_{text}, zone_{zone} {}

  /// Whether what the letter asks for stands there. Nothing: the letter has no meaning.
  std::optional<bool> field(char letter) {
    switch (letter) {
      case 'Y': return number(year_, 4, 4);
      case 'y': return short_year();
      case 'm': return number(month_, 1, 2);
      case 'e': skip_spaces(); return number(day_, 1, 2);
      case 'd': return number(day_, 1, 2);
      case 'j': return number(day_of_year_, 1, 3);
      case 'H':
      case 'I': twelve_ = letter == 'I'; return number(hour_, 1, 2);
      case 'M': return number(minute_, 1, 2);
      case 'S': return number(second_, 1, 2);
      case 'f': return fraction();
      case 'p': return half_of_day();
      case 'A':
      case 'a': return name(kDays).has_value();
      case 'B':
      case 'b': return month_name();
      case 'z': return offset();
      case 's': return unix_seconds();
      case '%': return literal('%');
      default: return std::nullopt;
    }
  }

  bool literal(char c) {
    if (c == ' ') return skip_spaces(), true;
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// Nothing: there is no such day or time.
  [[nodiscard]] std::optional<UnixMillis> time() const {
    if (unix_) return unix_;
    if (!year_) return std::nullopt;
    const ch::year year{static_cast<int>(*year_)};
    auto days = ch::sys_days{year / 1 / 1};
    if (day_of_year_) {
      days += ch::days{static_cast<int>(*day_of_year_) - 1};
      if (*day_of_year_ == 0 || ch::year_month_day{days}.year() != year) return std::nullopt;
    } else {
      const ch::year_month_day date{year, ch::month{month_.value_or(1)}, ch::day{day_.value_or(1)}};
      if (!date.ok()) return std::nullopt;
      days = ch::sys_days{date};
    }
    auto hour = hour_.value_or(0);
    if (twelve_) {
      if (hour < 1 || hour > 12) return std::nullopt;
      hour = hour % 12 + (afternoon_ ? 12 : 0);
    }
    if (hour > 23 || minute_.value_or(0) > 59 || second_.value_or(0) > 59) return std::nullopt;
    const Millis local =
        days.time_since_epoch() + ch::hours{hour} + ch::minutes{minute_.value_or(0)} + ch::seconds{second_.value_or(0)} + Millis{millis_};
    return offset_ ? (local - *offset_).count() : zone_.at_local(local);
  }
  [[nodiscard]] bool has_year() const { return year_.has_value() || unix_.has_value(); }

 private:
  using Number = std::optional<unsigned>;

  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  bool number(Number& into, std::size_t least, std::size_t most) {
    std::size_t digits = 0;
    while (digits < most && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') ++digits;
    if (digits < least) return false;
    unsigned value = 0;
    std::from_chars(rest_.data(), rest_.data() + digits, value);
    into = value;
    rest_.remove_prefix(digits);
    return true;
  }

  bool short_year() {
    Number two;
    if (!number(two, 2, 2)) return false;
    constexpr unsigned kPivot = 69;  // as strptime does
    year_ = *two + (*two < kPivot ? 2000U : 1900U);
    return true;
  }

  bool fraction() {
    Number digits;
    const auto before = rest_.size();
    if (!number(digits, 1, 9)) return false;
    millis_ = *digits;
    for (auto count = before - rest_.size(); count != 3; count < 3 ? ++count : --count) millis_ = count < 3 ? millis_ * 10 : millis_ / 10;
    return true;
  }

  template <std::size_t N>
  std::optional<std::size_t> name(const std::array<std::string_view, N>& names) {
    for (std::size_t index = 0; index < N; ++index) {
      for (const auto length : {names[index].size(), kShort}) {
        if (!alike(rest_.substr(0, length), names[index].substr(0, length))) continue;
        rest_.remove_prefix(length);
        return index;
      }
    }
    return std::nullopt;
  }

  bool month_name() {
    const auto found = name(kMonths);
    if (found) month_ = static_cast<unsigned>(*found) + 1;
    return found.has_value();
  }

  bool half_of_day() {
    afternoon_ = alike(rest_.substr(0, 2), "PM");
    if (!afternoon_ && !alike(rest_.substr(0, 2), "AM")) return false;
    rest_.remove_prefix(2);
    return true;
  }

  bool offset() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      offset_ = Millis{0};
      return true;
    }
    const bool ahead = rest_.starts_with('+');
    if (!ahead && !rest_.starts_with('-')) return false;
    rest_.remove_prefix(1);
    Number hours;
    Number minutes;
    if (!number(hours, 2, 2)) return false;
    if (rest_.starts_with(':')) rest_.remove_prefix(1);
    if (!number(minutes, 2, 2) || *hours > 23 || *minutes > 59) return false;
    const Millis size = ch::hours{*hours} + ch::minutes{*minutes};
    offset_ = ahead ? size : -size;
    return true;
  }

  bool unix_seconds() {
    std::int64_t seconds = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + std::min<std::size_t>(rest_.size(), 13), seconds);
    if (read.ec != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    unix_ = seconds * 1000;
    return true;
  }

  std::string_view rest_;
  const TimeZone& zone_;
  Number year_, month_, day_, day_of_year_, hour_, minute_, second_;
  unsigned millis_ = 0;
  bool twelve_ = false, afternoon_ = false;
  std::optional<Millis> offset_;
  std::optional<UnixMillis> unix_;
};

}  // namespace

Result<std::string> format_date(UnixMillis at, std::string_view format, const TimeZone& zone) {
  const auto whole = written_out(format);
  const Local local{zone.local_at(at)};
  std::string text;
  for (std::size_t index = 0; index < whole.size(); ++index) {
    if (whole[index] != '%') {
      text += whole[index];
      continue;
    }
    const auto field = index + 1 < whole.size() ? field_text(whole[index + 1], at, local, zone) : std::string{};
    if (field.empty()) return unknown_letter(whole, index, "written");
    text += field;
    ++index;
  }
  return text;
}

Result<UnixMillis> parse_date(std::string_view text, std::string_view format, const TimeZone& zone) {
  const auto whole = written_out(format);
  DateParser parser{text, zone};
  const auto unfit = [&](std::string_view wanted) {
    const auto at = text.size() - parser.rest().size();
    return fail(Code::expression_value, fmt::format("'{}' is not as '{}' says: '{}' is expected at character {}", text, format, wanted, at + 1));
  };
  for (std::size_t index = 0; index < whole.size(); ++index) {
    if (whole[index] != '%') {
      if (!parser.literal(whole[index])) return unfit(std::string_view{whole}.substr(index, 1));
      continue;
    }
    const auto fits = index + 1 < whole.size() ? parser.field(whole[index + 1]) : std::nullopt;
    if (!fits) return unknown_letter(whole, index, "read");
    if (!*fits) return unfit(std::string_view{whole}.substr(index, 2));
    ++index;
  }
  if (!parser.rest().empty()) return unfit("the end");
  if (!parser.has_year()) return fail(Code::expression_value, fmt::format("the format '{}' asks for no year; %Y does, or %s", format));
  const auto at = parser.time();
  if (!at || *at < kFirstTime || *at > kLastTime) return fail(Code::expression_value, fmt::format("'{}': there is no such day or time", text));
  return *at;
}

}  // namespace catena
