#pragma once
// The agent dialect: the tool dialect in another spelling.
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_agent(const Node& document, Report& report);
[[nodiscard]] Program lower_agent(const Definition& definition, NestedPrograms& nested, Report& report);

}  // namespace catena::lang
