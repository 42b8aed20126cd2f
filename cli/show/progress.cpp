#include "cli/show/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  std::map<std::string, std::deque<Sample>> kept;
  for (const auto& fan_out : counts.fan_outs) {
    auto& samples = kept[fan_out.step] = std::move(samples_[fan_out.step]);
    // A loop that enters a fan-out anew has fewer settled items than before.
    if (!samples.empty() && samples.back().items > fan_out.settled) samples.clear();
    samples.push_back({now, fan_out.settled});
    while (samples.size() > 2 && samples[1].at <= now - kWindowMillis) samples.pop_front();
  }
  samples_ = std::move(kept);
}

std::optional<double> ProgressMeter::rate(const std::string& step) const {
  const auto known = samples_.find(step);
  if (known == samples_.end() || known->second.size() < 2) return std::nullopt;
  const auto& samples = known->second;
  const auto span = samples.back().at - samples.front().at;
  const auto items = samples.back().items - samples.front().items;
  if (span <= 0 || items == 0) return std::nullopt;
  return static_cast<double>(items) * 1000.0 / static_cast<double>(span);
}

std::string ProgressMeter::line(UnixMillis now, std::size_t width) const {
  if (!counts_) return {};
  auto text = fmt::format("{}/{} steps", counts_->steps_settled, counts_->steps_total);
  for (const auto& fan_out : counts_->fan_outs) {
    text += fmt::format(" · {} {}/{} items", fan_out.step, fan_out.settled, fan_out.total);
    const auto left = fan_out.total - std::min(fan_out.settled, fan_out.total);
    const auto pace = rate(fan_out.step);
    if (!pace || left == 0) continue;
    text += *pace < 10 ? fmt::format(" · {:.1f}/s", *pace) : fmt::format(" · {:.0f}/s", *pace);
    const auto seconds = std::ceil(static_cast<double>(left) / *pace);
    if (seconds < kLongestShownSeconds) text += fmt::format(" · {} left", span_text(Millis{static_cast<std::int64_t>(seconds) * 1000}));
  }
  if (!counts_->family.empty()) text += " · " + counts_->family;
  text += fmt::format(" · {}", span_text(Millis{now - started_}));
  return cut(text, width);
}

ProgressCounts counts_of(const actors::Progress& progress) {
  ProgressCounts counts{progress.steps_settled, progress.steps_total};
  for (const auto& visit : progress.running) counts.fan_outs.push_back({visit.step, visit.done, visit.total});
  return counts;
}

}  // namespace catena::cli
