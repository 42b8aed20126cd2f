#pragma once
// Errors of expressions: a message, and the expression with a caret under the place.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::lang::expr {

/// Which codes of the closed table expressions use. One place, so that the choice can be seen and changed.
inline constexpr Code kSyntax = Code::expression_syntax;
inline constexpr Code kUnknownFunction = Code::function_unknown;
inline constexpr Code kUnknownVariable = Code::variable_unknown;
inline constexpr Code kUnresolved = Code::reference_unresolved;  // a path that finds nothing
inline constexpr Code kType = Code::expression_value;            // an operator or function got values it cannot use
inline constexpr Code kRange = Code::number_out_of_range;        // overflow, division by zero
inline constexpr Code kTooDeep = Code::expression_limit;
inline constexpr Code kTooLong = Code::expression_limit;   // the step limit
inline constexpr Code kTooLarge = Code::expression_limit;  // the size limits

/// `text` is the whole expression, `at` the offset of the byte the caret points to.
[[nodiscard]] tl::unexpected<Error> fail_at(Code code, std::string message, std::string_view text, std::uint32_t at);

/// As fail_at, of an error that came from elsewhere: what it says, with the caret before its notes.
[[nodiscard]] Error at_caret(Error error, std::string_view text, std::uint32_t at);

/// `begins` says that there is nothing called `name`; the nearest of the names there are follows, and those.
[[nodiscard]] std::string unknown_name(std::string begins, std::string_view name, std::vector<std::string> names);

/// Adds the expression that holds (as a string) the one an error is about.
[[nodiscard]] Error inside(Error error, std::string_view outer, std::uint32_t at);

}  // namespace catena::lang::expr
