#pragma once
// Values of a document as expressions: what every dialect that has references or texts of its own in strings reads alike.
#include <functional>

#include "lang/document/document.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// Strings mean what `read_string` makes of them; everything else is itself. A list or an object in which all is literal becomes one literal:
/// a list of 100,000 names is a value, not 100,000 expressions.
[[nodiscard]] Expr read_value(const Node& node, const std::function<Expr(const Node& text)>& read_string);

[[nodiscard]] bool is_literal(const Expr& expr);

}  // namespace catena::lang
