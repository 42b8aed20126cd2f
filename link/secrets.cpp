#include "link/secrets.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <iterator>
#include <vector>

#include "base/hash.hpp"

namespace catena::link {

Result<std::string> random_hex(std::size_t bytes) {
  std::vector<unsigned char> drawn(bytes);
  if (::RAND_bytes(drawn.data(), static_cast<int>(drawn.size())) != 1) return fail(Code::internal, "the system has no random numbers");
  std::string hex;
  for (const auto byte : drawn) fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
  return hex;
}

bool same_secret(std::string_view a, std::string_view b) {
  // Hashes have the same length, whatever that of the secrets.
  const auto left = sha256_hex(a);
  const auto right = sha256_hex(b);
  return ::CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace catena::link
