#include "api/grants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/reach.hpp"
#include "base/chain_labels.hpp"

namespace catena::api {

Role highest(storage::TokenRole role) {
  switch (role) {
    case storage::TokenRole::viewer: return Role::viewer;
    case storage::TokenRole::operator_: return Role::operate;
    case storage::TokenRole::admin: return Role::admin;
  }
  return Role::anyone;
}

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

Outcome<Grant> grant_for(const Needs& needs, std::span<const Grant> grants, std::string_view who) {
  const Grant* best = nullptr;    // of all there is
  const Grant* within = nullptr;  // of a namespace, and enough
  const Grant* highest_of = nullptr;
  std::set<std::string_view> namespaces;
  for (const auto& grant : grants) {
    if (highest_of == nullptr || grant.role > highest_of->role) highest_of = &grant;
    if (grant.namespace_.empty()) {
      if (best == nullptr || grant.role > best->role) best = &grant;
    } else if (needs.role <= highest(grant.role)) {
      namespaces.insert(grant.namespace_);
      if (within == nullptr || grant.role > within->role) within = &grant;
    }
  }
  if (highest_of == nullptr) return refuse(Code::role_refused, fmt::format("{} has no role here", who));
  if (best != nullptr && needs.role <= highest(best->role)) return *best;
  if (within == nullptr) {
    return refuse(Code::role_refused,
                  fmt::format("{} has the role {}, and {} needs {}", who, storage::name(highest_of->role), needs.what, name(needs.role)));
  }
  if (needs.reach == Reach::cluster) {
    return refuse(Code::namespace_refused, fmt::format("{} reaches the namespace '{}' alone, and {} is about what all of them share", who,
                                                       fmt::join(namespaces, "', '"), needs.what));
  }
  if (namespaces.size() > 1 && needs.reach != Reach::anything) {
    return refuse(Code::namespace_refused, fmt::format("{} may do this in the namespaces '{}', and a caller here has one: call with a token of one",
                                                       who, fmt::join(namespaces, "', '")));
  }
  return *within;
}

Outcome<Grant> grant_for(const Route& route, std::span<const Grant> grants, std::string_view who) {
  return grant_for(Needs{route.role, reach_of(route), fmt::format("{} {}", name(route.verb), route.path)}, grants, who);
}

}  // namespace catena::api
