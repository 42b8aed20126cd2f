#pragma once
// The tool dialect: LANGUAGE sections 1 to 4, 6, 8 and 9.
#include "lang/definition.hpp"
#include "lang/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_tool(const Node& document, Report& report);
[[nodiscard]] Program lower_tool(const Definition& definition, Report& report);

}  // namespace catena::lang
