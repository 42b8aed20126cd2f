#pragma once
// A plan on its way to a program: its steps and their tools, and where each of them will stand.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/program/definition.hpp"

namespace catena::lang {

struct PlanTool {
  std::string name;
  Place where;
  const Definition* target = nullptr;
  const Node* parameters = nullptr;  // an object; null: none are given
  std::vector<const Field*> open;    // of the target: required, and given by nobody
  StepIndex step = 0;                // of the program
  std::optional<StepIndex> bind;     // the step that asks the binder, before it
};

struct PlanStep {
  const Node* node = nullptr;
  std::string id;    // empty: it was written wrongly
  std::string what;  // begins messages
  std::vector<PlanTool> tools;
  std::vector<std::size_t> waits_for;  // steps of the plan: `dependencies` in their order, then those that RESULT_FROM_ names

  /// What the others see of it. It has tools.
  [[nodiscard]] StepIndex last() const { return tools.back().step; }
};

struct Plan {
  const Definition& definition;
  std::vector<PlanStep> steps;
  std::map<std::string, std::size_t, std::less<>> ids;

  [[nodiscard]] std::vector<std::string> known_ids() const;
};

/// The names of a step's tools that are some, in their order: whom the plan calls. `step` may be anything.
[[nodiscard]] std::vector<const Node*> tools_named(const Node& step);

/// The text of its instruction, if there is one.
[[nodiscard]] const Node* instruction_of(const PlanStep& step);

/// Steps with ids, tools and parameters; what is wrong is reported. Where the steps of the program stand is not known yet.
[[nodiscard]] Plan read_plan_steps(const Definition& definition, Report& report);

/// `dependencies` of the step, into waits_for.
void read_plan_dependencies(Plan& plan, std::size_t step, Report& report);

/// The id of a tool's step in the program.
[[nodiscard]] std::string tool_step_id(const PlanStep& step, std::size_t tool);

/// A step of the program, and how messages call it.
struct Seen {
  StepIndex step = 0;
  std::string id;
};
/// What has to be completed before the tool runs: the tool before it; of a first tool the last tools of the steps that its step waits for.
[[nodiscard]] std::vector<Seen> waits_of(const Plan& plan, const PlanStep& step, std::size_t tool);
/// All that a tool may be bound from by name, in the order in which it is looked for: earlier tools of the step, the newest first, then the
/// tools of the steps that it waits for, of each the last first.
[[nodiscard]] std::vector<Seen> seen_by(const Plan& plan, const PlanStep& step, std::size_t tool);

/// The whole response of a step; null unless it completed.
[[nodiscard]] Expr whole_response(const Seen& seen, const Place& where);
[[nodiscard]] Condition has_completed(const Seen& seen, const Place& where);
/// The gate after these steps, and the condition that all of them completed.
void wait_for(Step& made, const std::vector<Seen>& waits);
void require(Step& made, Condition condition);

/// A parameter by name out of what the tool sees, and then out of `last`, if there is one.
[[nodiscard]] Expr bound_by_name(const Plan& plan, const PlanStep& step, std::size_t tool, const Field& field,
                                 std::optional<Expr> last = std::nullopt);

}  // namespace catena::lang
