#pragma once
// Versions of files and definitions as HTTP names them: entity tags, and what a change expects.
#include <string>
#include <string_view>

#include "api/route.hpp"

namespace catena::api {

/// "v3" in quotes.
[[nodiscard]] std::string entity_tag(std::string_view version_id);

/// `If-Match: "v3"` or `*`, `If-None-Match: *`; without them: whatever is there. Error: request_invalid.
[[nodiscard]] Outcome<coordinator::ExpectedVersion> expected_version(const Asked& asked);

}  // namespace catena::api
