#pragma once
// Arithmetic on JSON numbers. Integers stay integers and never wrap; what does not fit in 64 bits is an error.
#include <string>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::lang::fn {

/// An error that does not know its place yet.
struct Trouble {
  Code code;
  std::string message;
};
using Number = tl::expected<Json, Trouble>;

/// No sum, difference or product of two 64-bit integers wraps in it.
__extension__ using Wide = __int128;

// All take two numbers.
[[nodiscard]] Number add(const Json& a, const Json& b);
[[nodiscard]] Number subtract(const Json& a, const Json& b);
[[nodiscard]] Number multiply(const Json& a, const Json& b);
/// Of integers: the exact integer if there is one, otherwise a double.
[[nodiscard]] Number divide(const Json& a, const Json& b);
/// The remainder has the sign of b: a - b * floor(a / b).
[[nodiscard]] Number modulo(const Json& a, const Json& b);
[[nodiscard]] Number negate(const Json& a);
/// A double, if JSON can hold it.
[[nodiscard]] Number finite(double value);

}  // namespace catena::lang::fn
