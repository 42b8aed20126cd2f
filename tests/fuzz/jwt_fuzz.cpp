// Any bytes as a token of an issuer, and as the set of keys that it shows: the first line is the token, the rest the set. A token is refused for a
// reason that has a name, or its claims are those that its rules ask for.
#include <algorithm>
#include <optional>
#include <variant>

#include "api/jwt.hpp"
#include "api/oidc.hpp"
#include "base/base64.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

using namespace api;

namespace {

constexpr UnixMillis kAskedAt = 1'700'000'000'000;

/// A key whose private one nobody has: that of RFC 8037 (A.2).
const KeySet& fixed_set() {
  static const auto set =
      read_key_set(R"({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})").value();
  return set;
}

void check_token(std::string_view token, const KeySet& keys) {
  const JwtRules rules{"https://id.example.org", "catena"};
  const auto said = verify_jwt(token, keys, rules, kAskedAt);
  if (const auto* fault = std::get_if<JwtFault>(&said)) {
    check(name(*fault).starts_with("jwt_") && !words(*fault).empty(), "a refusal has a name and words", token);
    return;
  }
  const auto& claims = std::get<JwtClaims>(said);
  check(!claims.subject.empty() && claims.subject.size() <= kSubjectBytesMax, "a subject is bounded", token);
  check(claims.all.is_object() && claims.all.value("iss", "") == rules.issuer && claims.all.contains("exp"), "claims are as the rules ask", token);
  for (const auto* const claim : {"groups", "scope", "realm_access.roles", "sub"})
    (void)grants_of(claims.all, OidcRules{rules, claim, {{"*", Grant{storage::TokenRole::viewer}}}});
}

}  // namespace

void fuzz_jwt(std::string_view text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto token = text.substr(0, end);
  const auto set = read_key_set(text.substr(std::min(end + 1, text.size())));
  check_token(token, fixed_set());
  if (const auto bytes = from_base64url(token)) check(to_base64url(*bytes) == token, "base64url has one text for bytes", token);
  if (!set) return check(!set.error().message.empty(), "a set that is refused is told why", text);
  check(!set->keys.empty() && set->keys.size() + set->passed_over.size() <= kKeysMax, "a set has keys, and not too many", text);
  check_token(token, *set);
}

}  // namespace catena::fuzz
