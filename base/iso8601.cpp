#include "base/iso8601.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/characters.hpp"

namespace catena {
namespace {

/// Takes parts off the front of a text; once something did not fit, nothing does any more.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_{text} {}

  /// Exactly that many digits.
  unsigned number(std::size_t digits) {
    const auto taken = rest_.substr(0, digits);
    unsigned value = 0;
    if (taken.size() != digits || !std::ranges::all_of(taken, is_digit)) {
      fits_ = false;
    } else {
      std::from_chars(taken.data(), taken.data() + taken.size(), value);
      rest_.remove_prefix(digits);
    }
    return value;
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { fits_ = take(c) && fits_; }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  [[nodiscard]] bool done() const { return fits_ && rest_.empty(); }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool fits() const { return fits_; }

  /// The digits behind a point as milliseconds; further ones are cut off.
  unsigned fraction() {
    unsigned millis = 0;
    unsigned weight = 100;
    bool any = false;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), weight /= 10, any = true) {
      millis += weight * static_cast<unsigned>(rest_.front() - '0');
    }
    fits_ = fits_ && any;
    return millis;
  }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

}  // namespace

std::optional<WrittenTime> read_iso8601(std::string_view text) {
  namespace ch = std::chrono;
  Reader in{text};
  const auto year = in.number(4);
  in.expect('-');
  const auto month = in.number(2);
  in.expect('-');
  const ch::year_month_day date{ch::year{static_cast<int>(year)}, ch::month{month}, ch::day{in.number(2)}};
  if (!in.fits() || !date.ok()) return std::nullopt;
  Millis at = ch::sys_days{date}.time_since_epoch();
  if (in.empty()) return WrittenTime{at, std::nullopt};
  if (!in.take('T') && !in.take('t')) in.expect(' ');
  const auto hour = in.number(2);
  in.expect(':');
  const auto minute = in.number(2);
  const auto second = in.take(':') ? in.number(2) : 0;
  const auto millis = in.take('.') ? in.fraction() : 0;
  if (!in.fits() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  at += ch::hours{hour} + ch::minutes{minute} + ch::seconds{second} + Millis{millis};
  if (in.empty()) return WrittenTime{at, std::nullopt};
  if (in.take('Z') || in.take('z')) return in.done() ? std::optional{WrittenTime{at, Millis{0}}} : std::nullopt;
  const bool ahead = in.at('+');
  if (!in.take('+')) in.expect('-');
  const auto offset_hours = in.number(2);
  const auto offset_minutes = in.take(':') || !in.empty() ? in.number(2) : 0;
  if (!in.done() || offset_hours > 23 || offset_minutes > 59) return std::nullopt;
  const Millis offset = ch::hours{offset_hours} + ch::minutes{offset_minutes};
  return WrittenTime{at, ahead ? offset : -offset};
}

std::optional<UnixMillis> parse_iso8601(std::string_view text) {
  const auto written = read_iso8601(text);
  if (!written) return std::nullopt;
  return (written->local - written->offset.value_or(Millis{0})).count();
}

}  // namespace catena
