#pragma once
// The composite dialect: a sequence of steps with jumps, loops and steps that run at once, over a state that texts read as {{ x }}.
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_composite(const Node& document, Report& report);
[[nodiscard]] Program lower_composite(const Definition& definition, NestedPrograms& nested, Report& report);

}  // namespace catena::lang
