#pragma once
// Base64 (RFC 4648), with padding.
#include <optional>
#include <string>
#include <string_view>

namespace catena {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Nothing where it is none. Padding may be missing.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
/// With - and _ and without padding (RFC 7515). Nothing where it is anything else: each sequence of bytes has one text.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);
[[nodiscard]] std::string to_base64url(std::string_view bytes);

}  // namespace catena
