#pragma once
// What an expression says. Built by the parser, bound to functions by the checker, then never changed.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "lang/fn/functions.hpp"

namespace catena::lang::expr {

struct Node;
using NodePtr = std::unique_ptr<Node>;
struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

enum class Op { either, both, equal, not_equal, less, less_equal, greater, greater_equal, in, contains, add, subtract, multiply, divide, modulo };
enum class UnaryOp { negate, invert };

struct Literal {
  Json value;  // null, boolean, string, or a number that is not negative
};
struct Name {
  std::string name;
};
struct Reference {
  std::string text;  // with its REF:
};
struct Member {
  NodePtr object;
  std::string segment;
};
struct Index {
  NodePtr object;
  NodePtr index;
};
struct Unary {
  UnaryOp op;
  NodePtr operand;
};
struct Binary {
  Op op;
  NodePtr left;
  NodePtr right;
};
struct List {
  std::vector<NodePtr> elements;
};
struct Object {
  std::vector<std::pair<std::string, NodePtr>> members;
};
struct Lambda {
  std::string parameter;
  NodePtr body;
};

struct Argument {
  std::string keyword;  // empty: positional
  std::uint32_t at = 0;
  NodePtr value;
};

/// How the argument of a parameter is used; found once, by the checker.
enum class Use {
  absent,    // the parameter's default
  value,     // evaluated when the function asks for it
  lambda,    // applied to each element
  per_item,  // evaluated anew for each element
  text,      // a literal that holds an expression, parsed already
  late_text  // its value, found once a call, holds an expression if it is a string
};
struct Slot {
  const Node* node = nullptr;
  Use use = Use::absent;
  ExpressionPtr text;
};

struct Call {
  std::string function;
  std::vector<Argument> arguments;
  // The checker's part.
  const fn::FnSpec* spec = nullptr;
  std::vector<Slot> slots;            // one a parameter
  std::vector<const Argument*> rest;  // what a function takes beyond its parameters
  std::vector<Slot> operations;       // of a list of operations that is written out
};

struct Node {
  using Form = std::variant<Literal, Name, Reference, Member, Index, Unary, Binary, List, Object, Lambda, Call>;
  Form form;
  std::uint32_t at = 0;     // the byte that a caret points to
  std::uint32_t depth = 1;  // of the tree below; bounded, so recursion over a tree is safe
};

/// An expression that was parsed and checked, with the text that its errors show.
struct Expression {
  std::string text;
  NodePtr root;
};

/// The two say the same; positions do not count.
[[nodiscard]] bool same(const Node& a, const Node& b);

}  // namespace catena::lang::expr
