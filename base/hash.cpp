#include "base/hash.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <xxhash.h>

#include <array>

namespace catena {
namespace {

/// EVP_sha256() looks the algorithm up anew for each digest, which takes longer than the digest of a short text. Never freed: a thread may still
/// compute while the process ends.
const EVP_MD* sha256() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched != nullptr ? fetched : EVP_sha256();
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, sha256(), nullptr);
  std::string hex(std::size_t{2} * size, '0');
  for (std::size_t i = 0; i < size; ++i) {
    hex[2 * i] = kDigits[digest[i] >> 4U];
    hex[2 * i + 1] = kDigits[digest[i] & 0xfU];
  }
  return hex;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  ::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(),
         &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool same_bytes(std::string_view a, std::string_view b) { return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

std::uint32_t checksum(std::string_view bytes) { return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size())); }

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace catena
