#pragma once
// The pipeline dialect: LANGUAGE section 7. Steps in order, each fed by `$input`, `$prev` and `$steps`; the first failure ends it.
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

[[nodiscard]] Definition read_pipeline(const Node& document, Report& report);
[[nodiscard]] Program lower_pipeline(const Definition& definition, NestedPrograms& nested, Report& report);

}  // namespace catena::lang
