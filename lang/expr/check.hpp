#pragma once
// Makes an expression ready to run: parses it, binds calls to functions, finds what can be known to be wrong.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/expr/ast.hpp"

namespace catena::lang::expr {

struct Names {
  /// The variables there are; nothing when that is not known.
  std::optional<std::vector<std::string>> variables;
};

/// Errors: those of parse, kUnknownFunction, kUnknownVariable, argument_missing, argument_unknown, kType, pattern_invalid, kTooDeep; each
/// with a caret.
[[nodiscard]] Result<ExpressionPtr> compile(std::string_view text, const Names& names);

/// The text is, as a whole, a call of a known function: what makes a transform's variable an expression.
[[nodiscard]] bool is_known_call(std::string_view text);

}  // namespace catena::lang::expr
