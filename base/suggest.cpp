#include "base/suggest.hpp"

#include <algorithm>

namespace catena {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment; three rows are enough.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view wanted, std::span<const std::string> known) {
  constexpr std::size_t kLongestCompared = 100;
  constexpr std::size_t kEditsMax = 3;  // long names that were made by a program differ in little, and mean nothing to each other
  if (wanted.empty() || wanted.size() > kLongestCompared) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::clamp<std::size_t>(wanted.size() / 3, 1, kEditsMax) + 1;
  for (const auto& candidate : known) {
    if (candidate.size() > kLongestCompared) continue;
    const auto distance = edit_distance(wanted, candidate);
    const bool nothing_in_common = distance >= std::max(wanted.size(), candidate.size());
    if (distance < best_distance && !nothing_in_common) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const auto name = nearest(wanted, known);
  return name ? "; did you mean '" + *name + "'?" : std::string{};
}

}  // namespace catena
