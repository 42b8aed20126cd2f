#pragma once
// Bodies that are compressed with gzip (RFC 1952), as both sides of HTTP may have them.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::api {

[[nodiscard]] std::string compressed(std::string_view bytes);
/// Stops as soon as it would have more than `bytes_max`. Errors: request_too_large, request_invalid (no gzip, or not whole).
[[nodiscard]] Result<std::string> decompressed(std::string_view bytes, std::size_t bytes_max);

/// Whether a header Accept-Encoding takes gzip.
[[nodiscard]] bool takes_gzip(std::string_view accept_encoding);

}  // namespace catena::api
