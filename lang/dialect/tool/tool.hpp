#pragma once
// The tool dialect: LANGUAGE sections 1 to 6, 8 and 9. The agent dialect is the same in another spelling.
#include "lang/dialect/shared/spelling.hpp"
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_tool(const Node& document, Report& report);
[[nodiscard]] Program lower_tool(const Definition& definition, NestedPrograms& nested, Report& report);

/// The same in any spelling.
[[nodiscard]] Definition read_definition(const Node& document, const Spelling& spelling, Report& report);
[[nodiscard]] Program lower_definition(const Definition& definition, const Spelling& spelling, Report& report);

}  // namespace catena::lang
