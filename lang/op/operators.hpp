#pragma once
// The operators of conditions: one table for validation, evaluation and `catena` output.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::lang {

struct Operator {
  std::string_view name;
  bool needs_value;  // without one, the operator asks only whether `param` is null
  std::string_view doc;
  /// On operands that do not fit: false, and `warning` says why.
  bool (*apply)(const Json& param, const Json& value, std::string& warning);
};

[[nodiscard]] std::span<const Operator> operators();
/// The row of that name, or nullptr.
[[nodiscard]] const Operator* find_operator(std::string_view name);
/// For messages and suggestions, in the order of the table.
[[nodiscard]] const std::vector<std::string>& operator_names();

/// Whether a text can be the value of `matches`. Error: pattern_invalid.
[[nodiscard]] Result<void> check_pattern(std::string_view pattern);

}  // namespace catena::lang
