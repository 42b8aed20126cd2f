#include "cli/show/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "actors/messages.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr UnixMillis kWindowMillis = 10'000;  // the rate is of so long a time
constexpr double kLongestShownSeconds = 100.0 * 86'400;

/// Items that had settled at `at`, between two samples in proportion.
double items_at(const std::deque<Sample>& samples, double at) {
  const auto after = std::ranges::find_if(samples, [&](const Sample& sample) { return static_cast<double>(sample.at) >= at; });
  if (after == samples.end()) return static_cast<double>(samples.back().items);
  if (after == samples.begin()) return static_cast<double>(after->items);
  const auto& before = *std::prev(after);
  const auto part = (at - static_cast<double>(before.at)) / static_cast<double>(after->at - before.at);
  return static_cast<double>(before.items) + part * static_cast<double>(after->items - before.items);
}

/// By how much the mean rate may be wrong, as a part of it: by what the parts of the time differ, and by what chance makes of few items.
double relative_error(const std::deque<Sample>& samples, double rate) {
  constexpr std::size_t kParts = 8;
  const auto begin = static_cast<double>(samples.front().at);
  const auto length = static_cast<double>(samples.back().at - samples.front().at) / static_cast<double>(kParts);
  double squares = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto from = begin + length * static_cast<double>(part);
    const auto here = (items_at(samples, from + length) - items_at(samples, from)) * 1000.0 / length;
    squares += (here - rate) * (here - rate);
  }
  const auto settled = static_cast<double>(samples.back().items - samples.front().items);
  const auto spread = std::sqrt(squares / static_cast<double>(kParts - 1)) / std::sqrt(static_cast<double>(kParts)) / rate;
  return std::max(spread, 1.0 / std::sqrt(settled));
}

Millis millis_of(double seconds) {
  constexpr double kRounding = 1e-6;  // 300.0000001 is 300
  return Millis{static_cast<std::int64_t>(std::ceil(std::min(seconds, kLongestShownSeconds) - kRounding)) * 1000};
}

/// Whole seconds: more would be said than is known.
std::string rough_text(Millis span) { return span < Millis{60'000} ? fmt::format("{}s", span.count() / 1000) : span_text(span); }

}  // namespace

std::optional<Pace> pace_of(const std::deque<Sample>& samples, std::uint64_t items_left) {
  if (samples.size() < 2 || items_left == 0) return std::nullopt;
  const auto span = samples.back().at - samples.front().at;
  const auto items = samples.back().items - samples.front().items;
  if (span <= 0 || items == 0) return std::nullopt;
  constexpr double kNineOfTen = 1.64;  // standard errors
  constexpr double kErrorMost = 0.8;
  const auto rate = static_cast<double>(items) * 1000.0 / static_cast<double>(span);
  const auto error = std::min(kErrorMost, kNineOfTen * relative_error(samples, rate));
  const auto left = static_cast<double>(items_left) / rate;
  return Pace{rate, millis_of(left), millis_of(left / (1 + error)), millis_of(left / (1 - error))};
}

std::string left_text(const Pace& pace, Left left) {
  const auto about = rough_text(pace.left);
  const auto least = rough_text(pace.left_least);
  const auto most = rough_text(pace.left_most);
  return least == most || left == Left::alone ? about + " left" : fmt::format("{} left ({} to {})", about, least, most);
}

std::string rate_text(double per_second) { return per_second < 10 ? fmt::format("{:.1f}/s", per_second) : fmt::format("{:.0f}/s", per_second); }

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

std::optional<Pace> ProgressMeter::pace(const FanOutCounts& fan_out) const {
  const auto known = samples_.find(fan_out.step);
  if (known == samples_.end()) return std::nullopt;
  return pace_of(known->second, fan_out.total - std::min(fan_out.settled, fan_out.total));
}

std::string ProgressMeter::line(UnixMillis now, std::size_t width) const {
  if (!counts_) return {};
  auto text = fmt::format("{}/{} steps", counts_->steps_settled, counts_->steps_total);
  for (const auto& fan_out : counts_->fan_outs) {
    text += fmt::format(" · {} {}/{} items", fan_out.step, fan_out.settled, fan_out.total);
    if (const auto known = pace(fan_out)) text += fmt::format(" · {} · {}", rate_text(known->per_second), left_text(*known));
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
