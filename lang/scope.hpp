#pragma once
// What expressions see while a chain runs, and their evaluation. Values are JSON text; a reference copies the bytes it names.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/file_port.hpp"
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
  /// The keys that a fan-out's transform_responses added beside `.response`, as an object; null when there are none.
  [[nodiscard]] virtual Result<JsonText> added() const { return JsonText{}; }
};

class Scope {
 public:
  virtual ~Scope() = default;
  /// The chain's arguments (an object).
  [[nodiscard]] virtual Result<JsonText> input() const = 0;
  /// A variable of the chain's state; nothing when there is none of that name.
  [[nodiscard]] virtual Result<std::optional<JsonText>> variable(std::string_view name) const;
  /// Sorted.
  [[nodiscard]] virtual std::vector<std::string> variable_names() const;
  [[nodiscard]] virtual const StepView& step(StepIndex step) const = 0;
  /// The response being shaped, the item of a fan-out, the submission's context: null where there is none.
  [[nodiscard]] virtual Result<JsonText> local(Root root) const = 0;
  /// The file store; null where there is none.
  [[nodiscard]] virtual const FileReader* files() const { return nullptr; }
  /// The time of this evaluation, the same for all of it.
  [[nodiscard]] virtual UnixMillis now() const { return 0; }
};

/// The value of an expression as text. Errors: reference_unresolved with the reference, the step and the keys there are; whatever the scope reports.
[[nodiscard]] Result<JsonText> evaluate(const Expr& expr, const Program& program, const Scope& scope);

struct Verdict {
  bool holds = true;
  std::vector<std::string> warnings;  // operators on unfit types
};
/// Unresolvable references are null. Errors only from the scope (storage).
[[nodiscard]] Result<Verdict> holds(const Condition& condition, const Program& program, const Scope& scope);

/// The arguments of a step before they are checked: what `bind` gives, with the results of `prepare` set. Step, program and scope outlive it.
class Arguments {
 public:
  /// Errors: those of evaluate and of expressions.
  [[nodiscard]] static Result<Arguments> of(const Step& step, const Program& program, const Scope& scope);

  /// What all items of a fan-out share; of a plain step, all there is. An object.
  [[nodiscard]] const JsonText& shared() const { return shared_; }
  [[nodiscard]] JsonText take_shared() && { return std::move(shared_); }
  /// The members to set for one item, whole (a dotted key gives the whole member that it is in). Meaningful when they vary.
  [[nodiscard]] Result<JsonText> of_item(JsonView item);
  /// What a person should know, for the chain's history.
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  const Step* step_ = nullptr;
  const Program* program_ = nullptr;
  const Scope* scope_ = nullptr;
  JsonText shared_;
  Json given_;      // what `bind` gave: what expressions see
  Json variables_;  // those that do not see the item
  Json made_;       // shared_ as a value; only where results vary
  std::vector<std::string> warnings_;
};

struct Shaped {
  JsonText value;
  std::vector<std::string> warnings;
};
/// transform_responses of a plain step: the response (scope.local(Root::response)) with the results set. Not checked yet.
[[nodiscard]] Result<Shaped> shape_response(const Step& step, const Program& program, const Scope& scope);
/// transform_responses of a fan-out: an object of the keys that stand beside `.response`. scope.local(Root::response) is the list.
[[nodiscard]] Result<Shaped> shape_items(const Step& step, const Program& program, const Scope& scope);

/// Checks arguments (an object as text) against a schema and fills in defaults. `who` begins the message: "step 'x': tool 'y'".
[[nodiscard]] Result<JsonText> check_arguments(JsonText arguments, const Schema& schema, std::string_view who);
/// Checks a response: required keys are there, declared keys have their type. Further keys stay.
[[nodiscard]] Result<void> check_response(const JsonText& response, const Schema& schema, std::string_view who);

}  // namespace catena::lang
