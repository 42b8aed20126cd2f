#include "base/hash.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <xxhash.h>

#include <array>
#include <memory>

namespace catena {
namespace {

/// EVP_sha256() looks the algorithm up anew for each digest, which takes longer than the digest of a short text. Never freed: a thread may still
/// compute while the process ends.
const EVP_MD* sha256() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched != nullptr ? fetched : EVP_sha256();
}

/// The same of HMAC(), which looks up the MAC and its digest for each text. Never freed, for the same reason. Null: the library has no HMAC.
const EVP_MAC_CTX* hmac_of_sha256() {
  static const EVP_MAC_CTX* const made = [] {
    EVP_MAC* const mac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
    EVP_MAC_CTX* const context = mac != nullptr ? EVP_MAC_CTX_new(mac) : nullptr;
    EVP_MAC_free(mac);
    std::array<char, 7> digest{"SHA256"};
    const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0), OSSL_PARAM_construct_end()};
    if (context != nullptr && EVP_MAC_CTX_set_params(context, parameters.data()) == 1) return context;
    EVP_MAC_CTX_free(context);
    return static_cast<EVP_MAC_CTX*>(nullptr);
  }();
  return made;
}

const unsigned char* unsigned_bytes(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

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
  std::size_t size = 0;
  const auto* const made = hmac_of_sha256();
  // OpenSSL takes a key that is null for none at all, and not for one that is empty.
  const auto* const key_bytes = unsigned_bytes(key.empty() ? "" : key);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> mac{made != nullptr ? EVP_MAC_CTX_dup(made) : nullptr, EVP_MAC_CTX_free};
  if (!mac || EVP_MAC_init(mac.get(), key_bytes, key.size(), nullptr) != 1 || EVP_MAC_update(mac.get(), unsigned_bytes(bytes), bytes.size()) != 1 ||
      EVP_MAC_final(mac.get(), digest.data(), &size, digest.size()) != 1)
    return {};
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool same_bytes(std::string_view a, std::string_view b) { return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

std::uint32_t checksum(std::string_view bytes) { return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size())); }

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace catena
