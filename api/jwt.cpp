#include "api/jwt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/base64.hpp"
#include "lang/document/json_text.hpp"

namespace catena::api {
namespace {

struct FaultRow {
  std::string_view name;
  std::string_view words;
};
constexpr std::array kFaults{
    FaultRow{"jwt_malformed", "it is no JWT: three parts of base64url, of which the first two are JSON objects"},
    FaultRow{"jwt_too_large", "it has more than 16 KiB"},
    FaultRow{"jwt_type", "its `typ` says that it is no token of access"},
    FaultRow{"jwt_critical", "its header names extensions as critical (`crit`), and none are known here"},
    FaultRow{"jwt_algorithm", "its `alg` is not how the issuer's key signs"},
    FaultRow{"jwt_key_unknown", "the issuer has no key of its `kid`; get a new token"},
    FaultRow{"jwt_key_ambiguous", "it has no `kid`, and the issuer has several keys that it may be signed with"},
    FaultRow{"jwt_signature", "its signature is not one of the issuer's key"},
    FaultRow{"jwt_issuer", "its `iss` is not the configured issuer (oidc.issuer)"},
    FaultRow{"jwt_audience", "its `aud` does not name this service (oidc.audience); ask the issuer for a token for it"},
    FaultRow{"jwt_no_expiry", "it has no `exp`: a token that never ends is not accepted"},
    FaultRow{"jwt_expired", "it has expired; get a new token"},
    FaultRow{"jwt_not_yet_valid",
             "it is of the future (`nbf`, `iat`): the clocks of its issuer and of the coordinator differ by more than "
             "oidc.clock_skew"},
    FaultRow{"jwt_subject", "its `sub` is missing, longer than 255 bytes, or has characters that are not visible ASCII"},
};
static_assert(kFaults.size() == static_cast<std::size_t>(JwtFault::subject) + 1);

/// A JSON object of a bounded text, with each key once.
std::optional<Json> object_of(std::string_view text) {
  const auto checked = lang::parse_json_text(text);
  if (!checked) return std::nullopt;
  auto json = lang::JsonView{*checked}.parse();
  if (!json.is_object()) return std::nullopt;
  return json;
}

/// Empty where it is none.
std::string text_in(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found == object.end() || !found->is_string() ? std::string{} : found->get<std::string>();
}

// ---- keys -------------------------------------------------------------------------------------------------------------

Result<std::string> key_number(const Json& key, const char* member) {
  auto bytes = from_base64url(text_in(key, member));
  if (!bytes || bytes->empty()) return fail(Code::field_value, fmt::format("'{}' is no number in base64url", member));
  return std::move(*bytes);
}

Result<link::PublicKey> rsa_key(const Json& key) {
  auto n = key_number(key, "n");
  if (!n) return fail(std::move(n).error());
  auto e = key_number(key, "e");
  if (!e) return fail(std::move(e).error());
  return link::PublicKey::rsa(*n, *e);
}

Result<link::PublicKey> curve_key(const Json& key) {
  constexpr std::array<std::string_view, 3> kNames{"P-256", "P-384", "P-521"};
  const auto* const found = std::ranges::find(kNames, text_in(key, "crv"));
  if (found == kNames.end()) return fail(Code::field_value, "its curve is none of P-256, P-384, P-521");
  auto x = key_number(key, "x");
  if (!x) return fail(std::move(x).error());
  auto y = key_number(key, "y");
  if (!y) return fail(std::move(y).error());
  return link::PublicKey::ec(static_cast<link::Curve>(found - kNames.begin()), *x, *y);
}

Result<link::PublicKey> edwards_key(const Json& key) {
  if (text_in(key, "crv") != "Ed25519") return fail(Code::field_value, "its curve is not Ed25519");
  auto x = key_number(key, "x");
  if (!x) return fail(std::move(x).error());
  return link::PublicKey::ed25519(*x);
}

bool is_for_signatures(const Json& key) {
  if (const auto use = text_in(key, "use"); !use.empty() && use != "sig") return false;
  const auto operations = key.find("key_ops");
  return operations == key.end() || (operations->is_array() && std::ranges::find(*operations, Json("verify")) != operations->end());
}

Result<IssuerKey> issuer_key(const Json& json) {
  if (!json.is_object()) return fail(Code::field_value, "it is no object");
  if (!is_for_signatures(json)) return fail(Code::field_value, "it is not for signatures");
  const auto type = text_in(json, "kty");
  // Whoever puts a private key where everybody reads it has to make another.
  if (json.contains("d")) return fail(Code::field_value, "it holds a private key, which must not be shown to anybody: make another key");
  auto key = type == "RSA"   ? rsa_key(json)
             : type == "EC"  ? curve_key(json)
             : type == "OKP" ? edwards_key(json)
                             : Result<link::PublicKey>{fail(Code::field_value, "its type is none of RSA, EC, OKP")};
  if (!key) return fail(std::move(key).error());
  IssuerKey made{text_in(json, "kid"), std::nullopt, std::move(*key)};
  if (json.contains("alg")) {
    made.kind = link::signature_kind_named(text_in(json, "alg"));
    if (!made.kind || !made.key.fits(*made.kind)) return fail(Code::field_value, "its 'alg' is not one of its type");
  }
  return made;
}

// ---- tokens -----------------------------------------------------------------------------------------------------------

struct JwtParts {
  std::string_view header;
  std::string_view payload;
  std::string_view signature;
  std::string_view signed_;  // the first two and what is between them
};
std::optional<JwtParts> jwt_parts(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
  return JwtParts{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1), token.substr(0, second)};
}

std::optional<Json> encoded_object(std::string_view part) {
  const auto text = from_base64url(part);
  return text ? object_of(*text) : std::nullopt;
}

/// That of other tokens that an issuer signs, of a logout or of a proof of possession, is another. Not case sensitive (RFC 7515, 4.1.9).
bool is_type_of_access(const Json& header) {
  if (!header.contains("typ")) return true;
  auto type = text_in(header, "typ");
  std::ranges::transform(type, type.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return type == "jwt" || type == "at+jwt" || type == "application/at+jwt";
}

/// The key that the token names, or else the only one that signs in its way.
std::variant<const IssuerKey*, JwtFault> key_of(const Json& header, const KeySet& set) {
  const auto kind = link::signature_kind_named(text_in(header, "alg"));
  const bool named = header.contains("kid");
  const auto id = text_in(header, "kid");
  if (named && id.empty()) return JwtFault::malformed;
  const IssuerKey* found = nullptr;
  bool known = false;
  for (const auto& key : set.keys) {
    if (named && key.id != id) continue;
    known = true;
    if (!kind || !key.signs(*kind)) continue;
    if (found != nullptr) return JwtFault::key_ambiguous;
    found = &key;
  }
  if (!known) return JwtFault::key_unknown;
  if (found == nullptr) return JwtFault::algorithm;
  return found;
}

/// A moment in seconds since 1970, which may have a fraction. Nothing where it is none that a clock can have.
std::optional<UnixMillis> moment_in(const Json& claims, const char* member) {
  constexpr double kSecondsMost = 1e11;
  const auto& claim = claims.at(member);
  if (!claim.is_number()) return std::nullopt;
  const auto seconds = claim.get<double>();
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kSecondsMost) return std::nullopt;
  return static_cast<UnixMillis>(std::floor(seconds * 1'000));
}

bool names_audience(const Json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  return found->is_array() ? std::ranges::find(*found, Json(audience)) != found->end() : *found == Json(audience);
}

std::optional<JwtFault> fault_of_times(const Json& claims, Millis skew, UnixMillis now) {
  if (!claims.contains("exp")) return JwtFault::no_expiry;
  const auto until = moment_in(claims, "exp");
  if (!until) return JwtFault::malformed;
  if (now >= *until + skew.count()) return JwtFault::expired;
  for (const auto* const member : {"nbf", "iat"}) {
    if (!claims.contains(member)) continue;
    const auto from = moment_in(claims, member);
    if (!from) return JwtFault::malformed;
    if (*from > now + skew.count()) return JwtFault::not_yet_valid;
  }
  return std::nullopt;
}

bool is_subject(std::string_view subject) {
  return !subject.empty() && subject.size() <= kSubjectBytesMax && std::ranges::all_of(subject, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::string_view name(JwtFault fault) { return kFaults.at(static_cast<std::size_t>(fault)).name; }

std::string_view words(JwtFault fault) { return kFaults.at(static_cast<std::size_t>(fault)).words; }

Result<KeySet> read_key_set(std::string_view json) {
  if (json.size() > kKeySetBytesMax)
    return fail(Code::request_too_large, fmt::format("a set of keys has {} bytes at most, and this has {}", kKeySetBytesMax, json.size()));
  auto checked = lang::parse_json_text(json);
  if (!checked) return fail(std::move(checked).error());
  const auto root = lang::JsonView{*checked}.parse();
  if (!root.is_object() || !root.contains("keys") || !root.at("keys").is_array())
    return fail(Code::field_value, "this is no JSON Web Key Set: an object with a list 'keys'");
  const auto& keys = root.at("keys");
  if (keys.size() > kKeysMax) return fail(Code::field_value, fmt::format("a set has {} keys at most, and this has {}", kKeysMax, keys.size()));
  KeySet set;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    auto key = issuer_key(keys[at]);
    if (key) {
      set.keys.push_back(std::move(*key));
    } else {
      set.passed_over.push_back(fmt::format("key {}: {}", at + 1, key.error().message));
    }
  }
  if (set.keys.empty()) {
    return fail(Code::field_value, fmt::format("the set has no key that signatures can be verified with{}{}", set.passed_over.empty() ? "" : "; ",
                                               set.passed_over.empty() ? "" : set.passed_over.front()));
  }
  return set;
}

std::variant<JwtClaims, JwtFault> verify_jwt(std::string_view token, const KeySet& keys, const JwtRules& rules, UnixMillis now) {
  if (token.size() > kJwtBytesMax) return JwtFault::too_large;
  const auto parts = jwt_parts(token);
  if (!parts) return JwtFault::malformed;
  const auto header = encoded_object(parts->header);
  const auto signature = from_base64url(parts->signature);
  if (!header || !signature) return JwtFault::malformed;
  if (header->contains("crit")) return JwtFault::critical;
  if (!is_type_of_access(*header)) return JwtFault::type;
  const auto key = key_of(*header, keys);
  if (const auto* fault = std::get_if<JwtFault>(&key)) return *fault;
  // The key signs in the way that the token names, so the kind is one that the key has.
  const auto kind = *link::signature_kind_named(text_in(*header, "alg"));
  if (!std::get<const IssuerKey*>(key)->key.verify(kind, parts->signed_, *signature)) return JwtFault::signature;
  auto claims = encoded_object(parts->payload);
  if (!claims) return JwtFault::malformed;
  if (text_in(*claims, "iss") != rules.issuer) return JwtFault::issuer;
  if (!names_audience(*claims, rules.audience)) return JwtFault::audience;
  if (const auto fault = fault_of_times(*claims, rules.clock_skew, now)) return *fault;
  auto subject = text_in(*claims, "sub");
  if (!is_subject(subject)) return JwtFault::subject;
  return JwtClaims{std::move(subject), std::move(*claims)};
}

}  // namespace catena::api
