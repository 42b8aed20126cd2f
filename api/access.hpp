#pragma once
// Whether a request may do what it asks for. Pure: the tokens that there are come in from outside.
#include "api/route.hpp"
#include "coordinator/token_book.hpp"

namespace catena::api {

/// Who asks. What `Authorization: Bearer` shows has to be a token that is valid and has the route's role, or one above it. Errors: token_refused,
/// with `WWW-Authenticate`; role_refused.
[[nodiscard]] Outcome<storage::Asker> check_access(const Request& request, const Route& route, const coordinator::TokenBook& book, UnixMillis now);

}  // namespace catena::api
