// Operators on values.
#include <fmt/format.h>

#include <algorithm>

#include "lang/document/json_equal.hpp"
#include "lang/expr/evaluator.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::expr {
namespace {

std::string_view spelling(Op op) {
  switch (op) {
    case Op::either: return "or";
    case Op::both: return "and";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::greater: return ">";
    case Op::greater_equal: return ">=";
    case Op::in: return "in";
    case Op::contains: return "contains";
    case Op::add: return "+";
    case Op::subtract: return "-";
    case Op::multiply: return "*";
    case Op::divide: return "/";
    case Op::modulo: return "%";
  }
  return "?";
}

std::string unfit(Op op, std::string_view needs, const Json& a, const Json& b) {
  return fmt::format("'{}' needs {}, got {} and {}", spelling(op), needs, fn::kind_of(a), fn::kind_of(b));
}

bool in_order(Op op, std::partial_ordering ordering) {
  switch (op) {
    case Op::less: return ordering < 0;
    case Op::less_equal: return ordering <= 0;
    case Op::greater: return ordering > 0;
    default: return ordering >= 0;
  }
}

}  // namespace

Result<Value> Evaluator::visit(const Node& node, const Unary& form) {
  const auto value = evaluate(*form.operand);
  if (!value) return value;
  if (form.op == UnaryOp::invert) return Value{!fn::truthy(value->get())};
  if (!value->get().is_number()) return refuse(kType, fmt::format("'-' needs a number, got {}", fn::kind_of(value->get())), node.at);
  auto negated = fn::negate(value->get());
  if (!negated) return refuse(negated.error().code, negated.error().message, node.at);
  return Value{std::move(*negated)};
}

Result<Value> Evaluator::visit(const Node& node, const Binary& form) {
  auto left = evaluate(*form.left);
  if (!left) return left;
  if (form.op == Op::either || form.op == Op::both) {
    if (fn::truthy(left->get()) == (form.op == Op::either)) return Value{form.op == Op::either};
    const auto right = evaluate(*form.right);
    if (!right) return right;
    return Value{fn::truthy(right->get())};
  }
  const auto right = evaluate(*form.right);
  if (!right) return right;
  return operate(node, form.op, std::move(*left), *right);
}

Result<Value> Evaluator::operate(const Node& node, Op op, Value left, const Value& right) {
  const auto& a = left.get();
  const auto& b = right.get();
  switch (op) {
    case Op::equal:
    case Op::not_equal:
      if (auto paid = charge(fn::steps_of(a) + fn::steps_of(b), 0, node.at); !paid) return fail(paid.error());
      return Value{json_equal(a, b) == (op == Op::equal)};
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return order(node, op, a, b);
    case Op::in:
    case Op::contains: {
      const auto& whole = op == Op::in ? b : a;
      const auto& part = op == Op::in ? a : b;
      if (auto paid = charge(fn::holds_steps(whole, part), 0, node.at); !paid) return fail(paid.error());
      const auto found = fn::holds(whole, part);
      if (found) return Value{*found};
      return refuse(
          kType,
          unfit(op, op == Op::in ? "anything and a list, or a string and a string or an object" : "a list, or a string or an object with a string", a,
                b),
          node.at);
    }
    case Op::add:
      if (!a.is_number() || !b.is_number()) return join(node, std::move(left), right);
      return arithmetic(node, op, a, b);
    default: return arithmetic(node, op, a, b);
  }
}

Result<Value> Evaluator::order(const Node& node, Op op, const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return Value{in_order(op, compare_numbers(a, b))};
  if (a.is_string() && b.is_string()) {
    if (auto paid = charge(std::min(fn::steps_of(a), fn::steps_of(b)), 0, node.at); !paid) return fail(paid.error());
    return Value{in_order(op, a.get_ref<const std::string&>() <=> b.get_ref<const std::string&>())};
  }
  return refuse(kType, unfit(op, "two numbers or two strings", a, b), node.at);
}

Result<Value> Evaluator::arithmetic(const Node& node, Op op, const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return refuse(kType, unfit(op, "two numbers", a, b), node.at);
  const auto compute = [&] {
    switch (op) {
      case Op::add: return fn::add(a, b);
      case Op::subtract: return fn::subtract(a, b);
      case Op::multiply: return fn::multiply(a, b);
      case Op::divide: return fn::divide(a, b);
      default: return fn::modulo(a, b);
    }
  };
  auto result = compute();
  if (!result) return refuse(result.error().code, result.error().message, node.at);
  return Value{std::move(*result)};
}

/// `+` of two strings or two lists.
Result<Value> Evaluator::join(const Node& node, Value left, const Value& right) {
  const auto& a = left.get();
  const auto& b = right.get();
  if (!(a.is_string() && b.is_string()) && !(a.is_array() && b.is_array())) {
    const auto* hint = a.is_string() || b.is_string() ? "; to_string() makes a string of a value" : "";
    return refuse(kType, unfit(Op::add, "two numbers, two strings or two lists", a, b) + hint, node.at);
  }
  if (auto paid = charge(fn::steps_of(b), fn::bytes_of(b), node.at); !paid) return fail(paid.error());
  auto owned = take(std::move(left), node.at);
  if (!owned) return fail(owned.error());
  if (owned->is_string()) {
    owned->get_ref<std::string&>() += b.get_ref<const std::string&>();
  } else {
    owned->insert(owned->end(), b.begin(), b.end());
  }
  return Value{std::move(*owned)};
}

}  // namespace catena::lang::expr
