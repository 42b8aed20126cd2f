#pragma once
// The live line under a running chain. Pure: the time comes in.
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

class ProgressMeter {
 public:
  explicit ProgressMeter(UnixMillis started) : started_{started} {}

  void take(const ProgressCounts& counts, UnixMillis now);
  /// "2/5 steps · resize 120/1000 items · 40/s · 22s left · 3s", cut to `width` columns; each fan-out by itself. Empty before the first counts.
  [[nodiscard]] std::string line(UnixMillis now, std::size_t width) const;

 private:
  struct Sample {
    UnixMillis at = 0;
    std::uint64_t items = 0;
  };
  /// Items a second over the last seconds; nothing while it is not known.
  [[nodiscard]] std::optional<double> rate(const std::string& step) const;

  UnixMillis started_;
  std::optional<ProgressCounts> counts_;
  std::map<std::string, std::deque<Sample>> samples_;  // by step
};

[[nodiscard]] ProgressCounts counts_of(const actors::Progress& progress);

}  // namespace catena::cli
