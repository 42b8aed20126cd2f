#pragma once
// A request that is only validated: the actors check what they are asked as if it were to be done, and do nothing. The answer says what would happen.
#include "api/route.hpp"

namespace catena::api {

inline constexpr const char* kValidateOnly = "validate_only";

/// From now on it only checks, and has its preview for an answer. Error: there is no way to check it without doing it.
[[nodiscard]] Outcome<void> check_only(Errand& errand, client::Questions& questions);

}  // namespace catena::api
