#pragma once
// The plan dialect: LANGUAGE section 7. A graph of steps, each of which runs several tools, strictly one after another.
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_plan(const Node& document, Report& report);
/// Nothing of a plan becomes a program of its own: `nested` stays as it is.
[[nodiscard]] Program lower_plan(const Definition& definition, NestedPrograms& nested, Report& report);

}  // namespace catena::lang
