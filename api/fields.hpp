#pragma once
// The parameter `fields` of pages: of each row only the members that it names. Which there are is read from the schema that the route documents.
#include "api/route.hpp"

namespace catena::api {

inline constexpr std::string_view kFields = "fields";

/// The answer with a page. Refused: a member that rows of this page never have.
[[nodiscard]] Worked page_answer(const Asked& asked, Json page);

}  // namespace catena::api
