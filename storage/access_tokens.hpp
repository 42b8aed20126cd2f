#pragma once
// Access tokens as they are kept: what a client of the HTTP interface shows in place of a certificate. Of the secret in a token only the SHA-256 is
// stored, so a copy of the store opens nothing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// What its holder may do; each may all that the one before may. viewer: ask. operator: submit and control chains. admin: nodes, removals, tokens.
enum class TokenRole : std::uint8_t { viewer, operator_, admin };
inline constexpr std::array kTokenRoleNames{std::string_view{"viewer"}, std::string_view{"operator"}, std::string_view{"admin"}};
[[nodiscard]] constexpr std::uint32_t count_of(TokenRole) { return static_cast<std::uint32_t>(kTokenRoleNames.size()); }
[[nodiscard]] constexpr std::string_view name(TokenRole role) { return kTokenRoleNames.at(static_cast<std::size_t>(role)); }
[[nodiscard]] std::optional<TokenRole> token_role_named(std::string_view word);

/// What its holder may ask, in place of what each caller may.
struct TokenRate {
  std::uint32_t per_second = 0;  // requests; 0: it has no rate of its own
  std::uint32_t burst = 0;       // requests that may come at once; 0: as many as a second has

  friend bool operator==(const TokenRate&, const TokenRate&) = default;
};
template <class V>
void fields(V& v, TokenRate& x) {
  v("per_second", x.per_second), v("burst", x.burst);
}

struct AccessToken {
  std::string id;    // a part of the token, and no secret
  std::string name;  // whom or what it is for, in the words of who made it; may be empty
  TokenRole role = TokenRole::viewer;
  std::string secret_sha256;
  UnixMillis created_at = 0;
  UnixMillis expires_at = 0;  // 0: never
  UnixMillis revoked_at = 0;  // 0: it was not
  TokenRate rate = {};
  std::string namespace_ = {};  // whose chains it reaches, and no others; empty: it reaches all there is

  friend bool operator==(const AccessToken&, const AccessToken&) = default;
};
using AccessTokens = std::map<std::string, AccessToken>;  // by id

void put_access_token(Batch& batch, const AccessToken& token);
void remove_access_token(Batch& batch, std::string_view id);
[[nodiscard]] Result<AccessTokens> load_access_tokens(const Kv& kv);

}  // namespace catena::storage
