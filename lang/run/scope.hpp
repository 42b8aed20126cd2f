#pragma once
// What expressions see while a chain runs.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/document/json_text.hpp"
#include "lang/file/file_port.hpp"
#include "lang/program/program.hpp"

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

}  // namespace catena::lang
