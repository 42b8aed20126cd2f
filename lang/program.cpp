#include "lang/program.hpp"

#include <algorithm>

namespace catena::lang {
namespace {

void collect(const Expr& expr, std::vector<StepIndex>& steps) {
  if (const auto* ref = std::get_if<Ref>(&expr.node)) {
    if (ref->root == Root::step) steps.push_back(ref->step);
  } else if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
    for (const auto& item : list->items) collect(item, steps);
  } else if (const auto* object = std::get_if<ObjectExpr>(&expr.node)) {
    for (const auto& member : object->members) collect(member.second, steps);
  } else if (const auto* computed = std::get_if<Computed>(&expr.node)) {
    for (const auto& [text, reference] : computed->references) {
      if (reference.root == Root::step) steps.push_back(reference.step);
    }
  }
}

void collect(const Condition& condition, std::vector<StepIndex>& steps) {
  if (const auto* test = std::get_if<Test>(&condition.node)) {
    collect(test->param, steps);
    collect(test->value, steps);
  } else if (const auto* group = std::get_if<Group>(&condition.node)) {
    for (const auto& inner : group->conditions) collect(inner, steps);
  }
}

std::vector<StepIndex> collected(const auto& from) {
  std::vector<StepIndex> steps;
  collect(from, steps);
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

const Field* Schema::find(std::string_view name) const {
  const auto field = std::ranges::find(fields, name, &Field::name);
  return field == fields.end() ? nullptr : &*field;
}

std::optional<StepIndex> Program::find_step(std::string_view id) const {
  const auto step = std::ranges::find(steps, id, &Step::id);
  if (step == steps.end()) return std::nullopt;
  return static_cast<StepIndex>(step - steps.begin());
}

std::vector<std::vector<StepIndex>> dependents(const Program& program) {
  std::vector<std::vector<StepIndex>> waiting(program.steps.size());
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const auto* gate = std::get_if<AfterAll>(&program.steps[i].gate);
    if (gate == nullptr) continue;
    for (const auto step : gate->deps) waiting[step].push_back(static_cast<StepIndex>(i));
  }
  return waiting;
}

std::vector<StepIndex> steps_referenced(const Expr& expr) { return collected(expr); }

std::vector<StepIndex> steps_referenced(const Condition& condition) { return collected(condition); }

}  // namespace catena::lang
