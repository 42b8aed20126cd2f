#include "lang/expr/ast.hpp"

#include <algorithm>

namespace catena::lang::expr {
namespace {

bool alike(const Literal& a, const Literal& b) { return a.value.type() == b.value.type() && a.value == b.value; }
bool alike(const Name& a, const Name& b) { return a.name == b.name; }
bool alike(const Reference& a, const Reference& b) { return a.text == b.text; }
bool alike(const Member& a, const Member& b) { return a.segment == b.segment && same(*a.object, *b.object); }
bool alike(const Index& a, const Index& b) { return same(*a.object, *b.object) && same(*a.index, *b.index); }
bool alike(const Unary& a, const Unary& b) { return a.op == b.op && same(*a.operand, *b.operand); }
bool alike(const Binary& a, const Binary& b) { return a.op == b.op && same(*a.left, *b.left) && same(*a.right, *b.right); }
bool alike(const Lambda& a, const Lambda& b) { return a.parameter == b.parameter && same(*a.body, *b.body); }

bool alike(const List& a, const List& b) {
  return std::ranges::equal(a.elements, b.elements, [](const NodePtr& x, const NodePtr& y) { return same(*x, *y); });
}

bool alike(const Object& a, const Object& b) {
  return std::ranges::equal(a.members, b.members, [](const auto& x, const auto& y) { return x.first == y.first && same(*x.second, *y.second); });
}

bool alike(const Call& a, const Call& b) {
  return a.function == b.function && std::ranges::equal(a.arguments, b.arguments, [](const Argument& x, const Argument& y) {
           return x.keyword == y.keyword && same(*x.value, *y.value);
         });
}

}  // namespace

bool same(const Node& a, const Node& b) {
  if (a.form.index() != b.form.index()) return false;
  return std::visit([&](const auto& form) { return alike(form, std::get<std::decay_t<decltype(form)>>(b.form)); }, a.form);
}

}  // namespace catena::lang::expr
