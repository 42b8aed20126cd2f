#pragma once
// Evaluation of expressions within a running chain. Internal to lang/.
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lang/run/scope.hpp"

namespace catena::lang {

/// Names that an expression sees: the members of an object, or one value under a name. The first layer that has a name wins.
struct Layer {
  const Json* members = nullptr;  // an object
  std::string_view name;
  const Json* value = nullptr;
  const std::set<std::string_view>* only = nullptr;  // the members that can be seen; null: all
};

/// The value of an expression over these names. Errors carry the expression, a caret, and the place in the definition.
[[nodiscard]] Result<Json> compute(const Computed& computed, const Place& where, const Program& program, const Scope& scope,
                                   std::span<const Layer> layers, std::vector<std::string>* warnings);

}  // namespace catena::lang
