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

struct Caller {
  storage::Asker by;
  storage::TokenRole role;
  std::string words;  // for an error: what has the role
};

Outcome<Caller> holder_of(std::string_view token, const coordinator::TokenBook& book, UnixMillis now) {
  const auto verdict = book.verify(token, now);
  if (const auto* fault = std::get_if<coordinator::TokenFault>(&verdict)) return refuse_token(std::string{words(*fault)});
  const auto& holder = std::get<coordinator::TokenHolder>(verdict);
  return Caller{{storage::AskedVia::http, holder.name, holder.id}, holder.role, fmt::format("token {}", holder.id)};
}

Outcome<Caller> caller_of(const Request& request, const Keys& keys, UnixMillis now) {
  const auto shown = request.header("authorization");
  if (keys.tokens != nullptr && !shown.empty()) {
    if (!shown.starts_with(kScheme)) return refuse_token("the header Authorization is not of the form `Bearer TOKEN`");
    return holder_of(shown.substr(kScheme.size()), *keys.tokens, now);
  }
  if (const auto role = role_of(keys.certificates, request.certificate))
    return Caller{{storage::AskedVia::http, request.certificate, "certificate"}, *role, fmt::format("certificate '{}'", request.certificate)};
  if (!request.certificate.empty() && !keys.certificates.empty())
    return refuse_token(fmt::format("the certificate '{}' has no role here (http.certificate_roles)", request.certificate));
  if (keys.tokens == nullptr) return refuse_token("this request needs a client certificate that has a role here (http.certificate_roles)");
  return refuse_token("this request needs an access token, as `Authorization: Bearer TOKEN`; `catena token create` makes one");
}

}  // namespace

Result<RolesByName> roles_by_name(const std::map<std::string, std::string>& said, std::string_view option) {
  RolesByName roles;
  for (const auto& [name, word] : said) {
    const auto role = storage::token_role_named(word);
    if (!role) return fail(Code::field_value, fmt::format("option '{}': '{}' is none of viewer, operator, admin", option, word));
    if (name.empty() || name.find('*') < name.size() - 1)
      return fail(Code::field_value, fmt::format("option '{}': '{}' is no name; one may end in *, and has no other", option, name));
    roles.emplace(name, *role);
  }
  return roles;
}

std::optional<storage::TokenRole> role_of(const RolesByName& roles, std::string_view name) {
  if (name.empty()) return std::nullopt;
  std::optional<storage::TokenRole> found;
  std::size_t longest = 0;
  for (const auto& [pattern, role] : roles) {
    if (pattern == name && !pattern.ends_with('*')) return role;
    if (pattern.size() > longest && pattern.ends_with('*') && name.starts_with(std::string_view{pattern}.substr(0, pattern.size() - 1))) {
      longest = pattern.size();
      found = role;
    }
  }
  return found;
}

Outcome<storage::Asker> check_access(const Request& request, const Route& route, const Keys& keys, UnixMillis now) {
  if (route.role == Role::anyone) return storage::Asker{storage::AskedVia::http, {}, {}};
  auto caller = caller_of(request, keys, now);
  if (!caller) return tl::unexpected<Problem>{std::move(caller).error()};
  if (route.role <= highest(caller->role)) return std::move(caller->by);
  return refuse(Code::role_refused, fmt::format("{} has the role {}, and {} {} needs {}", caller->words, storage::name(caller->role),
                                                name(route.verb), route.path, name(route.role)));
}

}  // namespace catena::api
