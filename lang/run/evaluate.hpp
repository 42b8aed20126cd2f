#pragma once
// The value of an expression while a chain runs. Values are JSON text; a reference copies the bytes it names.
#include "lang/run/scope.hpp"

namespace catena::lang {

/// The value of an expression as text. Errors: reference_unresolved with the reference, the step and the keys there are; whatever the scope reports.
[[nodiscard]] Result<JsonText> evaluate(const Expr& expr, const Program& program, const Scope& scope);

}  // namespace catena::lang
