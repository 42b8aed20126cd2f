#pragma once
// Public keys of others, made of their numbers, and signatures that were made with the private ones. It verifies and does nothing else: no private
// key comes in here, and no secret that both sides share.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"

struct evp_pkey_st;

namespace catena::link {

/// How a signature is made, by the names of RFC 7518 and RFC 8037.
enum class SignatureKind : std::uint8_t { rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512, eddsa };
inline constexpr std::array<std::string_view, 10> kSignatureKindNames{"RS256", "RS384", "RS512", "PS256", "PS384",
                                                                      "PS512", "ES256", "ES384", "ES512", "EdDSA"};
[[nodiscard]] constexpr std::string_view name(SignatureKind kind) { return kSignatureKindNames.at(static_cast<std::size_t>(kind)); }
/// Nothing for any other name: `none` and those of shared secrets (HS256) are no signatures here.
[[nodiscard]] std::optional<SignatureKind> signature_kind_named(std::string_view name);

enum class Curve : std::uint8_t { p256, p384, p521 };

/// Copies share the key. Threads may verify with one at the same time.
class PublicKey {
 public:
  /// Numbers are big-endian bytes. Errors: field_value, of a modulus of less than 2048 or more than 8192 bits, of an exponent that is even or 1, and
  /// of a point that is not on its curve.
  [[nodiscard]] static Result<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  [[nodiscard]] static Result<PublicKey> ec(Curve curve, std::string_view x, std::string_view y);
  [[nodiscard]] static Result<PublicKey> ed25519(std::string_view x);

  /// Whether a key of this type can have made such a signature: a type is never used for another's.
  [[nodiscard]] bool fits(SignatureKind kind) const;
  /// False for every signature that was not made over these bytes with this key in this way, whatever is wrong with it.
  [[nodiscard]] bool verify(SignatureKind kind, std::string_view bytes, std::string_view signature) const;

 private:
  enum class Type : std::uint8_t { rsa, p256, p384, p521, ed25519 };
  PublicKey(Type type, std::shared_ptr<evp_pkey_st> key) : type_{type}, key_{std::move(key)} {}
  Type type_;
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace catena::link
