#include "storage/access_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

template <class V>
void fields(V& v, AccessToken& x) {
  v("id", x.id), v("name", x.name), v("role", x.role), v("secret_sha256", x.secret_sha256), v("created_at", x.created_at),
      v("expires_at", x.expires_at), v("revoked_at", x.revoked_at), v("rate", x.rate), v("namespace", x.namespace_);
}

std::optional<TokenRole> token_role_named(std::string_view word) {
  const auto* const found = std::ranges::find(kTokenRoleNames, word);
  if (found == kTokenRoleNames.end()) return std::nullopt;
  return static_cast<TokenRole>(found - kTokenRoleNames.begin());
}

void put_access_token(Batch& batch, const AccessToken& token) {
  put_record(batch, keys::access_token(token.id), RecordKind::meta, codec::to_bytes(token));
}

void remove_access_token(Batch& batch, std::string_view id) { batch.remove(keys::access_token(id)); }

Result<AccessTokens> load_access_tokens(const Kv& kv) {
  AccessTokens tokens;
  std::optional<Error> problem;
  const auto range = keys::access_tokens();
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto record = open_record(RecordKind::meta, value, key);
    auto token = record ? codec::from_bytes<AccessToken>(*record) : std::nullopt;
    if (!token) {
      problem = record
                    ? make_error(Code::storage_corrupt, fmt::format("the access token stored at {} cannot be read; restore the data directory from "
                                                                    "a backup",
                                                                    keys::printable(key)))
                    : record.error();
      return false;
    }
    auto id = token->id;
    tokens.emplace(std::move(id), std::move(*token));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  if (problem) return fail(std::move(*problem));
  return tokens;
}

}  // namespace catena::storage
