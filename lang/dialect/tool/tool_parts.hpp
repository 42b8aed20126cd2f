#pragma once
// The parts of an instruction that have a grammar of their own.
#include <optional>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_expr.hpp"

namespace catena::lang {

/// `conditions` of an instruction: the list is AND. Nothing when it is absent or empty, which is true.
[[nodiscard]] std::optional<Condition> read_conditions(ObjectReader& instruction, ExprReader& values, Report& report);

/// What `wait_for` of a fan-out may say.
inline constexpr ObjectReader::Choice<Join> kJoins[] = {{"all", Join::all}, {"any", Join::any}, {"first_success", Join::first_success}};

/// `parallel_execution` of an instruction.
[[nodiscard]] std::optional<FanOut> read_fan_out(ObjectReader& instruction, ExprReader& values, Report& report);

}  // namespace catena::lang
