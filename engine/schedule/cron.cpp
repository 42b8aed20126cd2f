#include "engine/schedule/cron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/characters.hpp"

namespace catena::engine {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr unsigned kSunday = 7;  // as people also count it

constexpr std::array kMonthNames{std::string_view{"jan"}, std::string_view{"feb"}, std::string_view{"mar"}, std::string_view{"apr"},
                                 std::string_view{"may"}, std::string_view{"jun"}, std::string_view{"jul"}, std::string_view{"aug"},
                                 std::string_view{"sep"}, std::string_view{"oct"}, std::string_view{"nov"}, std::string_view{"dec"}};
constexpr std::array kWeekdayNames{std::string_view{"sun"}, std::string_view{"mon"}, std::string_view{"tue"}, std::string_view{"wed"},
                                   std::string_view{"thu"}, std::string_view{"fri"}, std::string_view{"sat"}};

struct FieldKind {
  std::string_view what;
  unsigned least;
  unsigned most;
  std::span<const std::string_view> names = {};  // of the numbers from `least` on
  bool sunday_is_seven = false;
};
constexpr std::array kFields{
    FieldKind{"second", 0, 59},
    FieldKind{"minute", 0, 59},
    FieldKind{"hour", 0, 23},
    FieldKind{"day of the month", 1, 31},
    FieldKind{"month", 1, 12, kMonthNames},
    FieldKind{"weekday", 0, 6, kWeekdayNames, true},
};

struct Macro {
  std::string_view name;
  std::string_view means;
};
constexpr std::array kMacros{
    Macro{"@yearly", "0 0 1 1 *"}, Macro{"@annually", "0 0 1 1 *"}, Macro{"@monthly", "0 0 1 * *"}, Macro{"@weekly", "0 0 * * 0"},
    Macro{"@daily", "0 0 * * *"},  Macro{"@midnight", "0 0 * * *"}, Macro{"@hourly", "0 * * * *"},
};

tl::unexpected<Error> wrong_cron(std::string message) { return fail(Code::schedule_invalid, std::move(message)); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_named(std::string_view text, std::string_view name) { return std::ranges::equal(text, name, {}, lower); }

std::optional<unsigned> small_number(std::string_view text) {
  constexpr std::size_t kDigitsMax = 4;
  if (!is_digits(text) || text.size() > kDigitsMax) return std::nullopt;
  unsigned number = 0;
  for (const char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

/// A number, or a name of one.
std::optional<unsigned> number_in_field(const FieldKind& kind, std::string_view text) {
  for (std::size_t at = 0; at < kind.names.size(); ++at) {
    if (is_named(text, kind.names[at])) return kind.least + static_cast<unsigned>(at);
  }
  const auto number = small_number(text);
  const auto most = kind.sunday_is_seven ? kSunday : kind.most;
  return number && *number >= kind.least && *number <= most ? number : std::nullopt;
}

std::string may_be(const FieldKind& kind) {
  const auto names = kind.names.empty() ? std::string{} : fmt::format(", {} to {}", kind.names.front(), kind.names.back());
  return fmt::format("a {} is {} to {}{}; '*', lists (1,5), ranges (1-5) and steps (*/10, 1-30/5) are possible", kind.what, kind.least,
                     kind.sunday_is_seven ? kSunday : kind.most, names);
}

struct Stride {
  unsigned from = 0;
  unsigned to = 0;
  unsigned step = 1;
};

/// One of a list: `*`, `5`, `1-5`, each with `/STEP` behind it but a number alone.
Result<Stride> read_stride(const FieldKind& kind, std::string_view text) {
  const auto refuse = [&](std::string_view part, std::string_view why) {
    return wrong_cron(fmt::format("'{}' in the field of the {} {}: {}", part, kind.what, why, may_be(kind)));
  };
  Stride stride{kind.least, kind.most, 1};
  const auto slash = text.find('/');
  const auto range = text.substr(0, slash);
  const auto dash = range.find('-');
  const auto first = range.substr(0, dash);
  if (range != "*") {
    const auto from = number_in_field(kind, first);
    if (!from) return refuse(first, "is none that it may have");
    stride.from = stride.to = *from;
    if (dash != std::string_view::npos) {
      const auto last = range.substr(dash + 1);
      const auto to = number_in_field(kind, last);
      if (!to) return refuse(last, "is none that it may have");
      stride.to = kind.sunday_is_seven && *to == 0 && *from > 0 ? kSunday : *to;
      if (stride.to < stride.from) return refuse(range, "goes from the later to the earlier");
    } else if (slash != std::string_view::npos) {
      return refuse(text, "has a step without a range");
    }
  }
  if (slash == std::string_view::npos) return stride;
  const auto step = small_number(text.substr(slash + 1));
  if (!step || *step == 0 || *step > kind.most) return refuse(text, "has a step that is none");
  stride.step = *step;
  return stride;
}

Result<std::uint64_t> read_field(const FieldKind& kind, std::string_view text) {
  std::uint64_t bits = 0;
  for (auto rest = text;;) {
    const auto comma = rest.find(',');
    const auto stride = read_stride(kind, rest.substr(0, comma));
    if (!stride) return fail(stride.error());
    for (auto number = stride->from; number <= stride->to; number += stride->step) {
      bits |= std::uint64_t{1} << (kind.sunday_is_seven && number == kSunday ? 0 : number);
    }
    if (comma == std::string_view::npos) return bits;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> found;
  for (auto rest = without_space_around(text); !rest.empty(); rest = without_space_around(rest)) {
    const auto end = std::ranges::find_if(rest, is_space);
    const auto size = static_cast<std::size_t>(end - rest.begin());
    found.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return found;
}

constexpr bool in_set(std::uint64_t set, unsigned number) { return ((set >> number) & 1U) != 0; }

/// The first of the set that is at least `from`.
std::optional<unsigned> first_of(std::uint64_t set, unsigned from) {
  const auto left = from > 63 ? 0 : set >> from << from;
  if (left == 0) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(left));
}

bool is_day_meant(const Cron& cron, std::int64_t day) {
  const std::chrono::sys_days at{std::chrono::days{day}};
  const std::chrono::year_month_day date{at};
  if (!in_set(cron.months, static_cast<unsigned>(date.month()))) return false;
  const bool of_month = in_set(cron.days, static_cast<unsigned>(date.day()));
  const bool of_week = in_set(cron.weekdays, std::chrono::weekday{at}.c_encoding());
  return cron.days_open || cron.weekdays_open ? of_month && of_week : of_month || of_week;
}

/// The first time of a day, in its seconds, at or behind `from`.
std::optional<std::int64_t> first_in_day(const Cron& cron, std::int64_t from) {
  const auto hour = static_cast<unsigned>(from / 3600);
  const auto minute = static_cast<unsigned>(from / 60 % 60);
  const auto second = static_cast<unsigned>(from % 60);
  const auto at = [&](unsigned h, unsigned m, unsigned s) { return std::int64_t{h} * 3600 + m * 60 + s; };
  const auto first_minute = *first_of(cron.minutes, 0);
  const auto first_second = *first_of(cron.seconds, 0);
  if (in_set(cron.hours, hour)) {
    if (in_set(cron.minutes, minute)) {
      if (const auto found = first_of(cron.seconds, second)) return at(hour, minute, *found);
    }
    if (const auto found = first_of(cron.minutes, minute + 1)) return at(hour, *found, first_second);
  }
  if (const auto found = first_of(cron.hours, hour + 1)) return at(*found, first_minute, first_second);
  return std::nullopt;
}

}  // namespace

Result<Cron> parse_cron(std::string_view text) {
  if (text.size() > kCronBytesMax) return wrong_cron(fmt::format("a cron expression has at most {} bytes", kCronBytesMax));
  auto fields = fields_of(text);
  if (fields.size() == 1 && fields.front().starts_with('@')) {
    const auto macro = std::ranges::find_if(kMacros, [&](const Macro& one) { return is_named(fields.front(), one.name); });
    if (macro == kMacros.end())
      return wrong_cron(fmt::format("'{}' is not known: @yearly, @monthly, @weekly, @daily and @hourly are, and five fields", fields.front()));
    fields = fields_of(macro->means);
  }
  if (fields.size() != 5 && fields.size() != 6) {
    return wrong_cron(
        fmt::format("a cron expression has five fields (minute, hour, day of the month, month, weekday), or six with seconds first; "
                    "this one has {}",
                    fields.size()));
  }
  const bool with_seconds = fields.size() == 6;
  Cron cron;
  const std::array sets{&cron.seconds, &cron.minutes, &cron.hours, &cron.days, &cron.months, &cron.weekdays};
  const std::size_t first = with_seconds ? 0 : 1;
  for (std::size_t at = first; at < sets.size(); ++at) {
    const auto bits = read_field(kFields[at], fields[at - first]);
    if (!bits) return fail(bits.error());
    *sets[at] = *bits;
  }
  const auto open = [&](std::size_t at) { return fields[at - first].starts_with('*'); };
  cron.days_open = open(3);
  cron.weekdays_open = open(5);
  cron.follows_clock = open(1) || open(2);
  return cron;
}

std::optional<LocalSeconds> first_match(const Cron& cron, LocalSeconds from, LocalSeconds until) {
  auto day = std::chrono::floor<std::chrono::days>(std::chrono::seconds{from}).count();
  for (auto second = from - day * kDaySeconds; day * kDaySeconds <= until; ++day, second = 0) {
    if (!is_day_meant(cron, day)) continue;
    if (const auto found = first_in_day(cron, second)) {
      const auto at = day * kDaySeconds + *found;
      return at <= until ? std::optional{at} : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace catena::engine
