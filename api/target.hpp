#pragma once
// The target of a request, "/v1/chains/a%2Fb?limit=3", in its parts.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace catena::api {

/// Undoes percent-encoding. Nothing where a '%' is not followed by two hexadecimal digits, or where a NUL character comes out.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
/// As one segment of a path: all but letters, digits and "-._~" is encoded.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Bytes as hexadecimal digits: a cursor is opaque, and safe to copy into an address.
[[nodiscard]] std::string hex_text(std::string_view bytes);
/// Nothing where that is none.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view text);

struct Target {
  std::vector<std::string> segments;  // of the path, decoded: "/v1/a%2Fb" has "v1" and "a/b"
  std::vector<std::pair<std::string, std::string>> query;
};

/// Error: request_invalid, for anything that is no path, is not UTF-8, or has "." or ".." for a segment.
[[nodiscard]] Result<Target> parse_target(std::string_view target);

}  // namespace catena::api
