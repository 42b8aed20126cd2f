#pragma once
// What expressions see while a chain runs, and their evaluation. Values are JSON text; a reference copies the bytes it names.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/json_text.hpp"
#include "lang/program.hpp"

namespace catena::lang {

enum class StepStatus { completed, failed, skipped, cancelled, unsettled };
[[nodiscard]] std::string_view name(StepStatus status);

/// One settled step, as references see it. A fan-out's list is read through here, an element at a time.
class StepView {
 public:
  virtual ~StepView() = default;
  [[nodiscard]] virtual StepStatus status() const = 0;
  /// The error object of a failed step; null otherwise.
  [[nodiscard]] virtual Json error() const = 0;
  /// The response of a plain step. Not called on a fan-out.
  [[nodiscard]] virtual Result<JsonText> response() const = 0;
  [[nodiscard]] virtual bool is_fan_out() const = 0;
  [[nodiscard]] virtual std::uint32_t width() const = 0;
  /// The response of an item (or what stands in its place).
  [[nodiscard]] virtual Result<JsonText> item(std::uint32_t index) const = 0;
  /// Appends the whole list, as JSON text, in input order.
  [[nodiscard]] virtual Result<void> append_items(std::string& out) const = 0;
};

class Scope {
 public:
  virtual ~Scope() = default;
  /// The chain's arguments (an object).
  [[nodiscard]] virtual Result<JsonText> input() const = 0;
  /// The chain's state variables (an object); sequences only.
  [[nodiscard]] virtual Result<JsonText> state() const = 0;
  [[nodiscard]] virtual const StepView& step(StepIndex step) const = 0;
  /// The response being shaped, the item of a fan-out, the submission's context: null where there is none.
  [[nodiscard]] virtual Result<JsonText> local(Root root) const = 0;
};

/// The value of an expression as text. Errors: reference_unresolved with the reference, the step and the keys there are; whatever the scope reports.
[[nodiscard]] Result<JsonText> evaluate(const Expr& expr, const Program& program, const Scope& scope);

struct Verdict {
  bool holds = true;
  std::vector<std::string> warnings;  // operators on unfit types
};
/// Unresolvable references are null. Errors only from the scope (storage).
[[nodiscard]] Result<Verdict> holds(const Condition& condition, const Program& program, const Scope& scope);

/// Checks arguments (an object as text) against a schema and fills in defaults. `who` begins the message: "step 'x': tool 'y'".
[[nodiscard]] Result<JsonText> check_arguments(JsonText arguments, const Schema& schema, std::string_view who);
/// Checks a response: required keys are there, declared keys have their type. Further keys stay.
[[nodiscard]] Result<void> check_response(const JsonText& response, const Schema& schema, std::string_view who);

}  // namespace catena::lang
