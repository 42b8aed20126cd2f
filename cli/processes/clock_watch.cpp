#include "cli/processes/clock_watch.hpp"

#include <fmt/format.h>

#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr Millis kApart = std::chrono::minutes{1};

}  // namespace

ClockWatch::ClockWatch()
    : ClockWatch{[] { return SystemClock{}.now(); }, [clock = std::make_shared<const AnchoredClock>()] { return clock->now(); }} {}

std::optional<std::string> ClockWatch::look() {
  const Millis ahead{wall_() - own_()};
  if (std::chrono::abs(ahead - told_) < kApart) return std::nullopt;
  told_ = ahead;
  if (std::chrono::abs(ahead) < kApart) return "the clock of this machine is right again";
  return fmt::format(
      "the clock of this machine was set {} by {}: what waits goes on by the clock that this process began with, and times are shown "
      "by it, until it is started again",
      ahead > Millis{0} ? "forward" : "back", span_text(std::chrono::abs(ahead)));
}

}  // namespace catena::cli
