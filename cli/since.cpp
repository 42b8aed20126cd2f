#include "cli/since.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/iso8601.hpp"

namespace catena::cli {

Result<UnixMillis> parse_since(const std::string& text, UnixMillis now) {
  if (const auto span = parse_duration(text)) return std::max<UnixMillis>(now - span->count(), 1);
  if (const auto at = parse_iso8601(text)) return std::max<UnixMillis>(*at, 1);
  return fail(Code::usage, fmt::format("--since '{}' is neither a span (90s, 2h, 3d) nor a date or time (2026-11-21, 2026-11-21T14:00:00Z)", text));
}

}  // namespace catena::cli
