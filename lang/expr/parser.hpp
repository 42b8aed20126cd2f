#pragma once
// Text to tree. Functions and names are not looked up here: see check.hpp.
#include <string_view>

#include "lang/expr/ast.hpp"

namespace catena::lang::expr {

/// Errors: kSyntax, kRange, kTooDeep, kTooLarge, not_utf8, reference_syntax; each with a caret.
[[nodiscard]] Result<NodePtr> parse(std::string_view text);

}  // namespace catena::lang::expr
