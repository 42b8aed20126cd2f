#pragma once
// response_reference_map: what a composite answers.
#include <optional>

#include "lang/dialect/tool/tool_expr.hpp"

namespace catena::lang {

/// The composite's response. Nothing: {execution_id: response} of every step.
[[nodiscard]] std::optional<Expr> read_outputs(const Names& names, Report& report);

}  // namespace catena::lang
