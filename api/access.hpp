#pragma once
// Whether a request may do what it asks for. Pure: the tokens that there are come in from outside.
#include "api/grants.hpp"
#include "api/oidc.hpp"
#include "api/route.hpp"
#include "coordinator/token_book.hpp"

namespace catena::api {

/// What opens routes.
struct Keys {
  const coordinator::TokenBook* tokens = nullptr;  // null: no access tokens are asked for
  const RolesByName& certificates;
  const Issuer* issuer = nullptr;  // null: no tokens of an issuer are
};

/// Who asks. Where tokens are asked for, access tokens or those of an issuer, what `Authorization: Bearer` shows has to be one that is valid; a
/// request that shows none is that of its client's certificate. Its role has to be the route's, or one above it, and the route one that its namespace
/// reaches. Errors: token_refused, with `WWW-Authenticate`; role_refused; namespace_refused; overloaded, while the keys of the issuer are on their
/// way.
[[nodiscard]] Outcome<Caller> check_access(const Request& request, const Route& route, const Keys& keys, UnixMillis now);

}  // namespace catena::api
