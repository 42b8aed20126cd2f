#pragma once
// Tree to text, with no more brackets than needed; parse(print(tree)) is the same tree. Pipes are printed as the calls they mean.
#include <string>

#include "lang/expr/ast.hpp"

namespace catena::lang::expr {

[[nodiscard]] std::string print(const Node& node);

}  // namespace catena::lang::expr
