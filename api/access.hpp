#pragma once
// Whether a request may do what it asks for. Pure: the tokens that there are come in from outside.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/route.hpp"
#include "base/result.hpp"
#include "coordinator/token_book.hpp"

namespace catena::api {

/// What somebody may who has a certain name.
struct Grant {
  storage::TokenRole role = storage::TokenRole::viewer;
  std::string namespace_ = {};  // empty: of all there is
};
/// Names, or their beginnings with a '*' behind them, and what those may who have them.
using RolesByName = std::map<std::string, Grant>;
/// As configured: {name: viewer, operator or admin}, of one namespace as `operator@NAMESPACE`. Errors: field_value, with the option's name.
[[nodiscard]] Result<RolesByName> roles_by_name(const std::map<std::string, std::string>& said, std::string_view option);
/// That of the name itself, or else that of the longest beginning.
[[nodiscard]] std::optional<Grant> role_of(const RolesByName& roles, std::string_view name);

/// What opens routes.
struct Keys {
  const coordinator::TokenBook* tokens = nullptr;  // null: no tokens are asked for
  const RolesByName& certificates;
};

/// Who asks. Where tokens are asked for, what `Authorization: Bearer` shows has to be one that is valid; a request that shows none is that of its
/// client's certificate. Its role has to be the route's, or one above it, and the route one that its namespace reaches. Errors: token_refused, with
/// `WWW-Authenticate`; role_refused; namespace_refused.
[[nodiscard]] Outcome<Caller> check_access(const Request& request, const Route& route, const Keys& keys, UnixMillis now);

}  // namespace catena::api
