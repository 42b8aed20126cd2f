#pragma once
// All routes: the one table that the router, the OpenAPI document, docs/api.md and the tests are made from. An addition is a row in a
// file of routes/ and a function in handlers/.
#include <span>

#include "api/route.hpp"

namespace catena::api {

[[nodiscard]] std::span<const Route> routes();
[[nodiscard]] std::span<const Group> groups();

}  // namespace catena::api
