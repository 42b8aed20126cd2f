#pragma once
// Content hashes (SHA-256: what is pinned can be verified anywhere) and record checksums (XXH3: fast, finds damage).
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
/// HMAC-SHA256, 32 bytes: only who has the key can compute it.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view bytes);
/// In a time that depends on their lengths only, and so tells nothing of what one of them holds.
[[nodiscard]] bool same_bytes(std::string_view a, std::string_view b);
[[nodiscard]] std::uint32_t checksum(std::string_view bytes);
/// 64-bit XXH3, for seeds and digests: not for trust.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes);

}  // namespace catena
