#pragma once
// Equality and order of JSON values as the language means them.
#include <compare>

#include "base/json.hpp"

namespace catena::lang {

/// JSON equality at any depth: 1 equals 1.0, true never equals 1.
[[nodiscard]] bool json_equal(const Json& a, const Json& b);

/// Exact order of two numbers of any representation; no integer is rounded to compare it with a float.
[[nodiscard]] std::partial_ordering compare_numbers(const Json& a, const Json& b);

}  // namespace catena::lang
