#pragma once
// Messages about access tokens. They never leave the process; messages.hpp includes them.
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/time.hpp"
#include "storage/access_tokens.hpp"

namespace catena::actors {

/// What somebody asks for: answered with TokenMade once it is durable.
struct CreateToken {
  std::string name;
  storage::TokenRole role = storage::TokenRole::viewer;
  Millis lasts{0};  // 0: it does not expire
  storage::TokenRate rate = {};
  std::string namespace_ = {};  // as of storage::AccessToken
};
struct TokenMade {
  std::string text;  // the token itself, which nobody can tell again
  storage::AccessToken token;
  std::optional<Error> error;  // set: there is none. usage, storage_io
};
/// Answered with TokenRevoked once it is durable.
struct RevokeToken {
  std::string id;
};
struct TokenRevoked {
  std::optional<Error> error;  // usage: there is no such token; storage_io
};
/// The sender hears TokensChanged now, and whenever a token was made or revoked.
struct WatchTokens {};
struct TokensChanged {
  std::shared_ptr<const storage::AccessTokens> tokens;
};

}  // namespace catena::actors

#define CATENA_TOKEN_MESSAGES(X) X(CreateToken) X(TokenMade) X(RevokeToken) X(TokenRevoked) X(WatchTokens) X(TokensChanged)
