#pragma once
// Whether a condition holds while a chain runs.
#include <string>
#include <vector>

#include "lang/run/scope.hpp"

namespace catena::lang {

struct Verdict {
  bool holds = true;
  std::vector<std::string> warnings;  // operators on unfit types
};
/// Unresolvable references are null. Errors only from the scope (storage).
[[nodiscard]] Result<Verdict> holds(const Condition& condition, const Program& program, const Scope& scope);

}  // namespace catena::lang
