#include "api/access.hpp"

#include <fmt/format.h>

#include "api/reach.hpp"
#include "base/chain_labels.hpp"

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

struct KnownCaller {
  Caller caller;
  storage::TokenRole role;
  std::string words;  // for an error: what has the role
};

Outcome<KnownCaller> holder_of(std::string_view token, const coordinator::TokenBook& book, UnixMillis now) {
  const auto verdict = book.verify(token, now);
  if (const auto* fault = std::get_if<coordinator::TokenFault>(&verdict)) return refuse_token(std::string{words(*fault)});
  const auto& holder = std::get<coordinator::TokenHolder>(verdict);
  return KnownCaller{{{storage::AskedVia::http, holder.name, holder.id}, holder.namespace_}, holder.role, fmt::format("token {}", holder.id)};
}

Outcome<KnownCaller> caller_of(const Request& request, const Keys& keys, UnixMillis now) {
  const auto shown = request.header("authorization");
  if (keys.tokens != nullptr && !shown.empty()) {
    if (!shown.starts_with(kScheme)) return refuse_token("the header Authorization is not of the form `Bearer TOKEN`");
    return holder_of(shown.substr(kScheme.size()), *keys.tokens, now);
  }
  if (auto grant = role_of(keys.certificates, request.certificate)) {
    return KnownCaller{{{storage::AskedVia::http, request.certificate, "certificate"}, std::move(grant->namespace_)},
                       grant->role,
                       fmt::format("certificate '{}'", request.certificate)};
  }
  if (!request.certificate.empty() && !keys.certificates.empty())
    return refuse_token(fmt::format("the certificate '{}' has no role here (http.certificate_roles)", request.certificate));
  if (keys.tokens == nullptr) return refuse_token("this request needs a client certificate that has a role here (http.certificate_roles)");
  return refuse_token("this request needs an access token, as `Authorization: Bearer TOKEN`; `catena token create` makes one");
}

}  // namespace

Result<RolesByName> roles_by_name(const std::map<std::string, std::string>& said, std::string_view option) {
  RolesByName roles;
  for (const auto& [name, word] : said) {
    const auto at = word.find('@');
    const auto role = storage::token_role_named(word.substr(0, at));
    if (!role) return fail(Code::field_value, fmt::format("option '{}': '{}' is none of viewer, operator, admin", option, word.substr(0, at)));
    Grant grant{*role, at == std::string::npos ? std::string{} : word.substr(at + 1)};
    if (at != std::string::npos) {
      if (auto right = check_namespace(grant.namespace_); !right)
        return fail(Code::field_value, fmt::format("option '{}': {}", option, right.error().message));
    }
    if (name.empty() || name.find('*') < name.size() - 1)
      return fail(Code::field_value, fmt::format("option '{}': '{}' is no name; one may end in *, and has no other", option, name));
    roles.emplace(name, std::move(grant));
  }
  return roles;
}

std::optional<Grant> role_of(const RolesByName& roles, std::string_view name) {
  if (name.empty()) return std::nullopt;
  std::optional<Grant> found;
  std::size_t longest = 0;
  for (const auto& [pattern, grant] : roles) {
    if (pattern == name && !pattern.ends_with('*')) return grant;
    if (pattern.size() > longest && pattern.ends_with('*') && name.starts_with(std::string_view{pattern}.substr(0, pattern.size() - 1))) {
      longest = pattern.size();
      found = grant;
    }
  }
  return found;
}

Outcome<Caller> check_access(const Request& request, const Route& route, const Keys& keys, UnixMillis now) {
  if (route.role == Role::anyone) return Caller{};
  auto known = caller_of(request, keys, now);
  if (!known) return tl::unexpected<Problem>{std::move(known).error()};
  if (route.role > highest(known->role)) {
    return refuse(Code::role_refused, fmt::format("{} has the role {}, and {} {} needs {}", known->words, storage::name(known->role),
                                                  name(route.verb), route.path, name(route.role)));
  }
  if (!known->caller.namespace_.empty() && reach_of(route) == Reach::cluster) {
    return refuse(Code::namespace_refused, fmt::format("{} reaches the namespace '{}' alone, and {} {} is about what all of them share", known->words,
                                                       known->caller.namespace_, name(route.verb), route.path));
  }
  return std::move(known->caller);
}

}  // namespace catena::api
