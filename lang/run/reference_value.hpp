#pragma once
// What one reference stands for while a chain runs. Internal to lang/.
#include <string>

#include "lang/run/scope.hpp"

namespace catena::lang {

/// Appends the value of a reference to `out`, as JSON text. Error reference_unresolved, or what the scope reports; `out` is unchanged then,
/// except for an error of the scope.
[[nodiscard]] Result<void> append_reference(const Ref& ref, const Place& where, const Program& program, const Scope& scope, std::string& out);

/// Evaluation where a reference that cannot be resolved is null: conditions.
[[nodiscard]] Result<JsonText> evaluate_lenient(const Expr& expr, const Program& program, const Scope& scope);

}  // namespace catena::lang
