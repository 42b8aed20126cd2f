#include "api/handlers/versions.hpp"

#include <fmt/format.h>

namespace catena::api {

std::string entity_tag(std::string_view version_id) { return fmt::format("\"{}\"", version_id); }

Outcome<coordinator::ExpectedVersion> expected_version(const Asked& asked) {
  const std::string_view match = asked.if_match;
  if (!asked.if_none_match.empty()) {
    if (asked.if_none_match != "*" || !match.empty())
      return refuse(Code::request_invalid, "a change takes the header `If-None-Match: *`, for what is to be new, or `If-Match`, and not both");
    return std::string{};
  }
  if (match.empty()) return coordinator::ExpectedVersion{};
  if (match == "*") return std::string{match};
  if (match.size() < 3 || !match.starts_with('"') || !match.ends_with('"') || match.find('"', 1) != match.size() - 1)
    return refuse(Code::request_invalid, fmt::format("the header If-Match is '{}'; give the ETag of one version, such as \"v3\", or *", match));
  return std::string{match.substr(1, match.size() - 2)};
}

}  // namespace catena::api
