#pragma once
// Content hashes (SHA-256: what is pinned can be verified anywhere) and record checksums (XXH3: fast, finds damage).
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::uint32_t checksum(std::string_view bytes);
/// 64-bit XXH3, for seeds and digests: not for trust.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes);

}  // namespace catena
