#include "engine/terms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/time.hpp"

namespace catena::engine {
namespace {

constexpr std::uint32_t kMilli = 1000;

constexpr std::uint32_t kWholeMilli = 100'000;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

}  // namespace

std::string percentage(std::uint32_t milli) {
  auto text = fmt::format("{}.{:03}", milli / kMilli, milli % kMilli);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

Result<void> put_tolerance(Terms& terms, std::string_view text) {
  const auto percent = text.ends_with('%');
  if (percent) {
    const auto share = number_of<double>(text.substr(0, text.size() - 1));
    if (share && *share >= 0 && *share <= 100) {
      terms.tolerated_milli = std::min(kWholeMilli, static_cast<std::uint32_t>(std::llround(*share * kMilli)));
      terms.tolerated.reset();
      return {};
    }
  } else if (const auto items = number_of<std::uint32_t>(text)) {
    terms.tolerated = *items;
    terms.tolerated_milli.reset();
    return {};
  }
  return fail(Code::field_value, fmt::format("how many items may fail must be a number, or a percentage such as 5%, and is '{}'", text));
}

std::string words(const Terms& terms, const std::optional<std::int32_t>& priority, const std::optional<Deadline>& deadline) {
  std::vector<std::string> parts;
  if (priority) parts.push_back(fmt::format("priority {}", *priority));
  if (deadline) parts.push_back(deadline->empty() ? std::string{"no deadline"} : "deadline " + to_string(*deadline));
  if (terms.window) parts.push_back(*terms.window == 0 ? std::string{"no max_concurrency"} : fmt::format("max_concurrency {}", *terms.window));
  if (terms.tolerated) parts.push_back(fmt::format("tolerates {} failed items", *terms.tolerated));
  if (terms.tolerated_milli) parts.push_back(fmt::format("tolerates {} failed items", percentage(*terms.tolerated_milli)));
  if (terms.timeout_ms) parts.push_back(*terms.timeout_ms == 0 ? std::string{"no timeout"} : "timeout " + to_string(Millis{*terms.timeout_ms}));
  if (terms.attempts) parts.push_back(fmt::format("{} attempts", *terms.attempts));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace catena::engine
