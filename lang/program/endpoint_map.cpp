#include "lang/program/endpoint_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/program/endpoint.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kName = "{name}";

std::string filled(std::string text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(kName, at)) != std::string::npos; at += name.size()) text.replace(at, kName.size(), name);
  return text;
}

tl::unexpected<Error> bad_key(std::string_view key, std::string_view rest) { return fail(Code::field_value, fmt::format("'{}' {}", key, rest)); }

}  // namespace

Result<EndpointMap> EndpointMap::make(const std::map<std::string, std::string>& rows) {
  EndpointMap map;
  for (const auto& [key, to] : rows) {
    const auto star = key.find('*');
    const bool wide = star != std::string::npos;
    if (wide && star + 1 != key.size()) return bad_key(key, "may have one '*', at its end");
    if (key.find(':') == std::string::npos) return bad_key(key, "is not the form of an endpoint, which has a ':'");
    if (is_own_form(key)) return bad_key(key, "is an endpoint of catena's own, which is never mapped");
    if (!wide && to.find(kName) != std::string::npos)
      return bad_key(key, fmt::format("is mapped to '{}', but '{{name}}' is what a '*' at the key's end stands for", to));
    if (const auto sound = resolve({to, "name"}, {}); !sound) return bad_key(key, fmt::format("is mapped to '{}': {}", to, sound.error().message));
    if (wide) {
      map.prefixes_.emplace(key.substr(0, star), to);
    } else {
      map.exact_.emplace(key, MappedEndpoint{to, {}});
    }
  }
  return map;
}

std::optional<MappedEndpoint> EndpointMap::find(std::string_view form) const {
  if (const auto found = exact_.find(form); found != exact_.end()) return found->second;
  const std::string* longest = nullptr;
  const std::string* to = nullptr;
  for (const auto& [prefix, value] : prefixes_) {
    if (!form.starts_with(prefix) || (longest != nullptr && longest->size() > prefix.size())) continue;
    longest = &prefix;
    to = &value;
  }
  if (longest == nullptr) return std::nullopt;
  return MappedEndpoint{*to, std::string{form.substr(longest->size())}};
}

std::vector<std::string> EndpointMap::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, mapped] : exact_) keys.push_back(key);
  for (const auto& [prefix, to] : prefixes_) keys.push_back(prefix + "*");
  return keys;
}

Result<Endpoint> resolve(const MappedEndpoint& mapped, const Place& where) {
  auto endpoint = parse_endpoint(mapped.to, where);
  // an address with {name} in it is not one yet
  if (!endpoint || !runs_program(*endpoint)) endpoint = parse_endpoint(filled(mapped.to, mapped.name), where);
  if (!endpoint) return fail(Code::endpoint_unknown, std::move(endpoint.error().message), where);
  if (!runs_program(*endpoint)) return endpoint;
  endpoint->target = filled(std::move(endpoint->target), mapped.name);
  for (auto& arg : endpoint->args) arg = filled(std::move(arg), mapped.name);
  return endpoint;
}

}  // namespace catena::lang
