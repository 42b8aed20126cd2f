#include "api/access.hpp"

#include <fmt/format.h>

namespace catena::api {
namespace {

constexpr std::string_view kScheme = "Bearer ";

/// A role of routes that those with this role may call.
Role highest(storage::TokenRole role) {
  switch (role) {
    case storage::TokenRole::viewer: return Role::viewer;
    case storage::TokenRole::operator_: return Role::operate;
    case storage::TokenRole::admin: return Role::admin;
  }
  return Role::anyone;
}

tl::unexpected<Problem> refuse_token(std::string message) {
  Problem problem{make_error(Code::token_refused, std::move(message))};
  problem.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refuse(std::move(problem));
}

}  // namespace

Outcome<storage::Asker> check_access(const Request& request, const Route& route, const coordinator::TokenBook& book, UnixMillis now) {
  if (route.role == Role::anyone) return storage::Asker{storage::AskedVia::http, {}, {}};
  const auto shown = request.header("authorization");
  if (!shown.starts_with(kScheme))
    return refuse_token("this request needs an access token, as `Authorization: Bearer TOKEN`; `catena token create` makes one");
  const auto verdict = book.verify(shown.substr(kScheme.size()), now);
  if (const auto* fault = std::get_if<coordinator::TokenFault>(&verdict)) return refuse_token(std::string{words(*fault)});
  const auto& holder = std::get<coordinator::TokenHolder>(verdict);
  if (route.role <= highest(holder.role)) return storage::Asker{storage::AskedVia::http, holder.name, holder.id};
  return refuse(Code::role_refused, fmt::format("token {} has the role {}, and {} {} needs {}", holder.id, storage::name(holder.role),
                                                name(route.verb), route.path, name(route.role)));
}

}  // namespace catena::api
