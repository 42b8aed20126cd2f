#pragma once
// Points in time as people give them to a filter.
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::cli {

/// A span before `now` ("90s", "2h", "3d"), or a date or time of ISO 8601 (UTC without an offset). Error: usage.
[[nodiscard]] Result<UnixMillis> parse_since(const std::string& text, UnixMillis now);

}  // namespace catena::cli
