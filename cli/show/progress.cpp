#include "cli/show/progress.hpp"

#include <fmt/format.h>

#include <cmath>

#include "actors/messages.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr UnixMillis kWindowMillis = 10'000;  // the rate is of so long a time
constexpr double kLongestShownSeconds = 100.0 * 86'400;

}  // namespace

void ProgressMeter::take(const ProgressCounts& counts, UnixMillis now) {
  counts_ = counts;
  // A loop that enters a fan-out anew has fewer settled items than before.
  if (!samples_.empty() && samples_.back().items > counts.items_settled) samples_.clear();
  samples_.push_back({now, counts.items_settled});
  while (samples_.size() > 2 && samples_[1].at <= now - kWindowMillis) samples_.pop_front();
}

std::optional<double> ProgressMeter::rate() const {
  if (samples_.size() < 2) return std::nullopt;
  const auto span = samples_.back().at - samples_.front().at;
  const auto items = samples_.back().items - samples_.front().items;
  if (span <= 0 || items == 0) return std::nullopt;
  return static_cast<double>(items) * 1000.0 / static_cast<double>(span);
}

std::string ProgressMeter::line(UnixMillis now, std::size_t width) const {
  if (!counts_) return {};
  auto text = fmt::format("{}/{} steps", counts_->steps_settled, counts_->steps_total);
  if (counts_->items_total > 0) {
    text += fmt::format(" · {}{}{}/{} items", counts_->running, counts_->running.empty() ? "" : " ", counts_->items_settled, counts_->items_total);
    const auto left = counts_->items_total - counts_->items_settled;
    const auto pace = rate();
    if (pace && left > 0) {
      text += *pace < 10 ? fmt::format(" · {:.1f}/s", *pace) : fmt::format(" · {:.0f}/s", *pace);
      const auto seconds = std::ceil(static_cast<double>(left) / *pace);
      if (seconds < kLongestShownSeconds) text += fmt::format(" · {} left", span_text(Millis{static_cast<std::int64_t>(seconds) * 1000}));
    }
  }
  text += fmt::format(" · {}", span_text(Millis{now - started_}));
  return cut(text, width);
}

ProgressCounts counts_of(const actors::Progress& progress) {
  ProgressCounts counts{progress.steps_settled, progress.steps_total, progress.items_settled, progress.items_total, {}};
  if (!progress.running.empty()) counts.running = progress.running.front().step;
  return counts;
}

}  // namespace catena::cli
