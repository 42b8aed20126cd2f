// What the tools of a plan wait for, and what they may be bound from.
#include <algorithm>

#include "lang/dialect/plan/plan_parts.hpp"

namespace catena::lang {
namespace {

Seen seen(const PlanStep& step, std::size_t tool) { return {step.tools[tool].step, tool_step_id(step, tool)}; }

void add_tools(const PlanStep& step, std::size_t before, std::vector<Seen>& found) {
  while (before > 0) found.push_back(seen(step, --before));
}

}  // namespace

std::vector<Seen> waits_of(const Plan& plan, const PlanStep& step, std::size_t tool) {
  if (tool > 0) return {seen(step, tool - 1)};
  std::vector<Seen> waits;
  for (const auto other : step.waits_for) {
    const auto& before = plan.steps[other];
    if (!before.tools.empty()) waits.push_back(seen(before, before.tools.size() - 1));
  }
  return waits;
}

std::vector<Seen> seen_by(const Plan& plan, const PlanStep& step, std::size_t tool) {
  std::vector<Seen> found;
  add_tools(step, tool, found);
  for (const auto other : step.waits_for) add_tools(plan.steps[other], plan.steps[other].tools.size(), found);
  return found;
}

Expr whole_response(const Seen& seen, const Place& where) { return Expr{Ref{Root::step, seen.step, {}, seen.id}, where}; }

// Its status would not tell it surely: a tool may have a response of that name, which wins.
Condition has_completed(const Seen& seen, const Place& where) {
  return Condition{Test{"exists", whole_response(seen, where), Expr{Literal{}, where}}, where};
}

void wait_for(Step& made, const std::vector<Seen>& waits) {
  AfterAll gate;
  for (const auto& before : waits) {
    gate.deps.push_back(before.step);
    require(made, has_completed(before, made.where));
  }
  std::ranges::sort(gate.deps);
  made.gate = std::move(gate);
}

void require(Step& made, Condition condition) {
  if (!made.when) made.when = Condition{Group{}, made.where};
  std::get<Group>(made.when->node).conditions.push_back(std::move(condition));
}

Expr bound_by_name(const Plan& plan, const PlanStep& step, std::size_t tool, const Field& field, std::optional<Expr> last) {
  const auto& where = step.tools[tool].where;
  Named named{field.name, {}};
  for (const auto& before : seen_by(plan, step, tool)) named.sources.push_back(whole_response(before, where));
  if (last) named.sources.push_back(std::move(*last));
  return Expr{std::move(named), where};
}

}  // namespace catena::lang
