#pragma once
// The interface, told from its table: as an OpenAPI 3.1 document for programs, as a page for people.
#include <string>

#include "base/json.hpp"

namespace catena::api {

[[nodiscard]] Json openapi();
/// docs/api.md.
[[nodiscard]] std::string reference_page();

}  // namespace catena::api
