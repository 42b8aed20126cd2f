#pragma once
// JSON Web Tokens of an issuer (RFC 7519), and the public keys that it signs them with (RFC 7517). Pure: keys and time are arguments.
//
// What a token says of itself is believed of nothing but which key to look for. How its signature is made follows from the key: a token of another
// kind is refused before anything is verified, and there is no kind for `none` or for secrets that both sides share.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "link/public_key.hpp"

namespace catena::api {

inline constexpr std::size_t kJwtBytesMax = 16UL << 10U;
inline constexpr std::size_t kKeySetBytesMax = 256UL << 10U;
inline constexpr std::size_t kKeysMax = 100;
inline constexpr std::size_t kSubjectBytesMax = 255;

struct IssuerKey {
  std::string id;                                // kid; empty: it has none
  std::optional<link::SignatureKind> kind = {};  // alg; none: any that fits the key
  link::PublicKey key;

  [[nodiscard]] bool signs(link::SignatureKind wanted) const { return kind ? *kind == wanted : key.fits(wanted); }
};

struct KeySet {
  std::vector<IssuerKey> keys;
  std::vector<std::string> passed_over;  // keys that cannot be used, and why, for a person
};

/// Keys that are for other things than signatures, or of types that are not known here, are passed over. Errors: request_too_large, and those of
/// lang::parse_json_text; field_value, of what is no set of keys, and of a set in which no key can be used.
[[nodiscard]] Result<KeySet> read_key_set(std::string_view json);

/// What a token must be.
struct JwtRules {
  std::string issuer;
  std::string audience;
  Millis clock_skew{30'000};  // by which the clocks of issuer and coordinator may differ
};

enum class JwtFault : std::uint8_t {
  malformed,
  too_large,
  type,
  critical,
  algorithm,
  key_unknown,
  key_ambiguous,
  signature,
  issuer,
  audience,
  no_expiry,
  expired,
  not_yet_valid,
  subject,
};
/// For programs: jwt_expired
[[nodiscard]] std::string_view name(JwtFault fault);
/// For a person: what is wrong with the token, and what to do. Nothing of what the token has.
[[nodiscard]] std::string_view words(JwtFault fault);

struct JwtClaims {
  std::string subject;
  Json all;
};

[[nodiscard]] std::variant<JwtClaims, JwtFault> verify_jwt(std::string_view token, const KeySet& keys, const JwtRules& rules, UnixMillis now);

}  // namespace catena::api
