#pragma once
// How fast a chain gets on: counts over time to rates, and what is left to a range. Pure: the time comes in.
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace catena::actors {
struct Progress;
}

namespace catena::cli {

/// A fan-out under way.
struct FanOutCounts {
  std::string step;
  std::uint64_t settled = 0;
  std::uint64_t total = 0;
};
/// Numbers of one moment.
struct ProgressCounts {
  std::uint32_t steps_settled = 0;
  std::uint32_t steps_total = 0;
  std::vector<FanOutCounts> fan_outs = {};
  std::string family = {};  // child chains in words; empty: none
};

/// What had settled at a moment.
struct Sample {
  UnixMillis at = 0;
  std::uint64_t items = 0;
};

/// How fast items settle, and between which times the rest of them probably will have (nine times of ten, if it goes on as it did).
struct Pace {
  double per_second = 0;
  Millis left{0};
  Millis left_least{0};
  Millis left_most{0};
};
/// Of samples in the order of time. Nothing while too little is known. The range is wide where few items have settled, or where their pace changed.
[[nodiscard]] std::optional<Pace> pace_of(const std::deque<Sample>& samples, std::uint64_t items_left);

enum class Left : std::uint8_t { alone, with_range };
/// "22s left", or "22s left (18s to 27s)" where the range says more and is wanted.
[[nodiscard]] std::string left_text(const Pace& pace, Left left = Left::with_range);
/// "40/s", "2.5/s".
[[nodiscard]] std::string rate_text(double per_second);

class ProgressMeter {
 public:
  explicit ProgressMeter(UnixMillis started) : started_{started} {}

  void take(const ProgressCounts& counts, UnixMillis now);
  /// Nothing while it is not known, or nothing is left.
  [[nodiscard]] std::optional<Pace> pace(const FanOutCounts& fan_out) const;
  [[nodiscard]] const std::optional<ProgressCounts>& counts() const { return counts_; }
  [[nodiscard]] UnixMillis started() const { return started_; }
  /// "2/5 steps · resize 120/1000 items · 40/s · 22s left · 3s", cut to `width` columns; each fan-out by itself. Empty before the first counts.
  [[nodiscard]] std::string line(UnixMillis now, std::size_t width) const;

 private:
  UnixMillis started_;
  std::optional<ProgressCounts> counts_;
  std::map<std::string, std::deque<Sample>> samples_;  // by step
};

[[nodiscard]] ProgressCounts counts_of(const actors::Progress& progress);

}  // namespace catena::cli
