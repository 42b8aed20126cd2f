#include "base/span_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace catena {

std::string span_text(Millis span) {
  const auto millis = std::max<std::int64_t>(span.count(), 0);
  if (millis < 10'000) return fmt::format("{}.{}s", millis / 1000, millis % 1000 / 100);
  const auto seconds = millis / 1000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m {}s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{}h {}m", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{}d {}h", seconds / 86'400, seconds % 86'400 / 3600);
}

}  // namespace catena
