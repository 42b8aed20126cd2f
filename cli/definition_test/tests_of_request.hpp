#pragma once
// Definition tests that come with a request: the HTTP interface's port for them.
#include "api/definitions.hpp"
#include "api/route.hpp"

namespace catena::cli {

/// Tests of one request.
inline constexpr std::size_t kTestsOfRequestMax = 100;

/// Tests may name the definition that comes with them, and what the shelf has: one in a tool root by its path there, or any by its name. Nothing is
/// written or executed, and all tests of a request take ten seconds at most.
[[nodiscard]] api::TestDefinition tests_of_request(api::OpenShelf open_shelf);

}  // namespace catena::cli
