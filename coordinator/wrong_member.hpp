#pragma once
// Which member of what a person asked for is wrong: an error of a control says so, and whoever read it as JSON points to the member.
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace catena::coordinator {

inline constexpr const char* kWrongMember = "member";

[[nodiscard]] inline Error of_member(std::string_view member, Error error) {
  error.details = Json{{kWrongMember, member}};
  return error;
}
/// Empty: it does not say.
[[nodiscard]] inline std::string member_of(const Error& error) {
  if (!error.details.is_object()) return {};
  const auto member = error.details.find(kWrongMember);
  return member == error.details.end() || !member->is_string() ? std::string{} : member->get<std::string>();
}

}  // namespace catena::coordinator
