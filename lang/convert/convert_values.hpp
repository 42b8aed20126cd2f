#pragma once
// Values of programs in the words of the tool dialect. Internal to lang/convert/convert*.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/package/package.hpp"
#include "lang/program/definition.hpp"

namespace catena::lang::convert {

using Pretty = nlohmann::ordered_json;

/// What comes of a conversion beside its text.
struct Findings {
  Diagnostics problems;
  std::vector<Error> warnings;
  void cannot(std::string message, const Place& where);
  void note(std::string message, const Place& where);
};

/// A value, as it can stand in `arguments` (if it can), and as an expression of transform_arguments.
struct Value {
  std::optional<Pretty> json;
  std::string expression;
};

/// A variable of a sequence's state, as far as the steps that are converted have come.
struct Variable {
  Value value;
  std::string problem;     // why nothing can be said of its value; empty: it is `value`
  bool uncertain = false;  // a step that may be skipped or fail sets it
};
using Variables = std::map<std::string, Variable, std::less<>>;

/// What the values of one program refer to.
struct Names {
  const Definition& definition;
  const Program& program;
  std::vector<std::string> ids;          // of the instructions, by step
  const Variables* variables = nullptr;  // of a sequence
  std::optional<StepIndex> self = {};    // the step whose response is Root::response
  bool inside = false;                   // of transform_responses: that response is REF:response
};

class ValueWriter {
 public:
  /// `what` begins the messages: "step 'x'".
  ValueWriter(const Names& names, std::string what, Findings& findings) : names_{names}, what_{std::move(what)}, findings_{findings} {}

  /// Nothing: it cannot be said, which was reported.
  [[nodiscard]] std::optional<Value> write(const Expr& expr);
  /// What counts as true, as a list of conditions.
  [[nodiscard]] std::optional<Pretty> conditions(const Condition& condition);

 private:
  [[nodiscard]] std::optional<Value> write(const Ref& ref, const Place& where);
  [[nodiscard]] std::optional<Value> write(const Computed& computed, const Place& where);
  [[nodiscard]] std::optional<Value> of_input(const Ref& ref, const Place& where);
  [[nodiscard]] std::optional<Value> whole_input(const Ref& ref, const Place& where);
  [[nodiscard]] std::optional<Value> write_template(const Place& where);
  [[nodiscard]] std::optional<Value> write(const Named& named, const Place& where);
  [[nodiscard]] std::optional<Value> concat(std::vector<Value> parts);
  [[nodiscard]] std::optional<Value> list(const std::vector<Expr>& items);
  [[nodiscard]] std::optional<Value> object(const ObjectExpr& object);
  [[nodiscard]] std::optional<Value> expression(const expr::Expression& expression, const Place& where);
  [[nodiscard]] std::optional<Pretty> test(const expr::Node& node, const Place& where);
  [[nodiscard]] std::optional<Pretty> operand(const expr::Node& node, const Place& where);
  [[nodiscard]] const Variable* variable(const std::string& name, const Place& where);
  std::nullopt_t cannot(std::string_view why, const Place& where);

  const Names& names_;
  std::string what_;
  Findings& findings_;
  bool exact_ = false;  // a member that is missing is an error: strict pipelines
};

/// A literal as an expression.
[[nodiscard]] std::string literal_expression(const Json& value);
/// A literal as it stands in `arguments`; nothing when it would be read as something else.
[[nodiscard]] std::optional<Pretty> literal_json(const Json& value);

}  // namespace catena::lang::convert
