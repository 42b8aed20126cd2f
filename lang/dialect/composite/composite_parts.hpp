#pragma once
// The parts of a composite's step that have a grammar of their own.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// Values in which strings may have {{ expressions }} over the state; everything else in them is literal.
class StateTexts {
 public:
  /// `what` begins the messages.
  StateTexts(std::string what, Report& report) : what_{std::move(what)}, report_{report} {}

  /// `field` names the value in messages: "inputs.message".
  [[nodiscard]] Expr read(const Node& node, std::string_view field);

 private:
  [[nodiscard]] Expr read_string(const Node& node, std::string_view field);

  std::string what_;
  Report& report_;
};

/// Whether a step calls a tool, or runs steps of its own, which have no response that could be mapped.
enum class StepKind { tool, block };

/// `next` as written: found among the steps by whoever knows them.
struct NextStep {
  const Node* node = nullptr;  // a string; null: the step after
  std::string what;            // begins messages
};

struct OnSuccess {
  std::vector<StateWrite> writes;  // of map_outputs, then of transform
  NextStep next;
};
[[nodiscard]] OnSuccess read_on_success(ObjectReader& step, StepKind kind, Report& report);

struct OnFailure {
  bool goes_on = false;              // to `next`; else the chain fails
  std::optional<RetryPolicy> retry;  // before that
  NextStep next;
};
[[nodiscard]] OnFailure read_on_failure(ObjectReader& step, Report& report);

[[nodiscard]] std::optional<Condition> read_when(ObjectReader& step, StateTexts& texts, Report& report);

/// A name under which a variable is written: reports and gives nothing when texts could not read it.
[[nodiscard]] std::optional<std::string> variable_name(const std::string& name, const Place& where, std::string_view what, Report& report);

}  // namespace catena::lang
