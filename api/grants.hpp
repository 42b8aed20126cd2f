#pragma once
// What names open: those in certificates of clients, and the values of claims. Pure.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/grant.hpp"
#include "api/problem.hpp"
#include "api/reach.hpp"
#include "api/route.hpp"
#include "base/result.hpp"
#include "coordinator/token_book.hpp"

namespace catena::api {

/// Names, or their beginnings with a '*' behind them, and what those may who have them.
using RolesByName = std::map<std::string, Grant>;
/// As configured: {name: viewer, operator or admin}, of one namespace as `operator@NAMESPACE`. Errors: field_value, with the option's name.
[[nodiscard]] Result<RolesByName> roles_by_name(const std::map<std::string, std::string>& said, std::string_view option);
/// That of the name itself, or else that of the longest beginning.
[[nodiscard]] std::optional<Grant> role_of(const RolesByName& roles, std::string_view name);

/// The role of routes up to which those with this role may call.
[[nodiscard]] Role highest(storage::TokenRole role);

/// What a route, or one call of the command line, asks of its caller.
struct Needs {
  Role role;
  Reach reach;
  std::string what;  // "GET /v1/nodes", for the error
};
/// The one of these with which a caller has it: one of all there is goes before those of a namespace. Errors: role_refused; namespace_refused, also
/// where it is open in several namespaces, and nothing says which is meant. `who` is for the error.
[[nodiscard]] Outcome<Grant> grant_for(const Needs& needs, std::span<const Grant> grants, std::string_view who);
[[nodiscard]] Outcome<Grant> grant_for(const Route& route, std::span<const Grant> grants, std::string_view who);

}  // namespace catena::api
