#pragma once
// One evaluation. Internal to lang/expr.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/expr/error.hpp"
#include "lang/expr/evaluate.hpp"
#include "lang/fn/invocation.hpp"

namespace catena::lang::expr {

using fn::ScalarValue;
using fn::Value;

struct Binding {
  std::string_view name;
  const Json* value;
  ScalarValue scalar;
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const Input& input) : text_{text}, input_{input}, usage_{input.usage == nullptr ? Usage{} : *input.usage} {}

  [[nodiscard]] Result<Value> evaluate(const Node& node);
  [[nodiscard]] Result<Value> evaluate_with(const Binding& binding, const Node& node);
  /// An expression that stands in a string at `outer`.
  [[nodiscard]] Result<Value> evaluate_text(const Binding& binding, const Expression& expression, const Node& outer);
  /// Parsed once an evaluation.
  [[nodiscard]] Result<ExpressionPtr> late_text(const std::string& text, const Node& outer);

  [[nodiscard]] Result<void> charge(std::uint64_t steps, std::uint64_t bytes, std::uint32_t at);
  [[nodiscard]] tl::unexpected<Error> refuse(Code code, std::string message, std::uint32_t at) const {
    return fail_at(code, std::move(message), text_, at);
  }
  [[nodiscard]] Result<Json> take(Value value, std::uint32_t at);
  /// Refuses a value that was made too deep to be a document.
  [[nodiscard]] Result<void> check_depth(const Json& value, std::uint32_t at);
  [[nodiscard]] UnixMillis now() const { return input_.now; }
  [[nodiscard]] const FileReader* files() const { return input_.files; }
  void warn(std::string message);
  [[nodiscard]] const Usage& usage() const { return usage_; }

 private:
  Result<Value> visit(const Node& node, const Literal& form);
  Result<Value> visit(const Node& node, const Name& form);
  Result<Value> visit(const Node& node, const Reference& form);
  Result<Value> visit(const Node& node, const Member& form);
  Result<Value> visit(const Node& node, const Index& form);
  Result<Value> visit(const Node& node, const Unary& form);
  Result<Value> visit(const Node& node, const Binary& form);
  Result<Value> visit(const Node& node, const List& form);
  Result<Value> visit(const Node& node, const Object& form);
  Result<Value> visit(const Node& node, const Lambda& form);
  Result<Value> visit(const Node& node, const Call& form);
  Result<Value> operate(const Node& node, Op op, Value left, const Value& right);
  Result<Value> order(const Node& node, Op op, const Json& a, const Json& b);
  Result<Value> arithmetic(const Node& node, Op op, const Json& a, const Json& b);
  Result<Value> join(const Node& node, Value left, const Value& right);
  [[nodiscard]] const Binding* bound(std::string_view name) const;
  [[nodiscard]] tl::unexpected<Error> unresolved(const Node& node, std::string_view why);

  std::string_view text_;  // of the expression that is evaluated now
  const Input& input_;
  std::vector<Binding> bindings_;
  std::map<std::string, Json, std::less<>> references_;
  std::map<std::string, ExpressionPtr, std::less<>> texts_;
  Usage usage_;
  std::uint32_t depth_ = 0;
};

}  // namespace catena::lang::expr
