#include "lang/program/program.hpp"

#include <algorithm>

namespace catena::lang {
namespace {

void visit_references(const Computed& computed, const RefVisitor& visit) {
  for (const auto& [text, reference] : computed.references) visit(reference);
}

std::vector<StepIndex> collected(const auto& from) {
  std::vector<StepIndex> steps;
  for_each_reference(from, [&](const Ref& ref) {
    if (ref.root == Root::step) steps.push_back(ref.step);
  });
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

bool Program::answers_failure() const { return std::holds_alternative<SequenceResult>(outputs) || std::holds_alternative<PlanResult>(outputs); }

std::vector<std::vector<StepIndex>> dependents(const Program& program) {
  std::vector<std::vector<StepIndex>> waiting(program.steps.size());
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const auto* gate = std::get_if<AfterAll>(&program.steps[i].gate);
    if (gate == nullptr) continue;
    for (const auto step : gate->deps) waiting[step].push_back(static_cast<StepIndex>(i));
  }
  return waiting;
}

void for_each_reference(const Expr& expr, const RefVisitor& visit) {
  struct Look {
    const RefVisitor& visit;
    void all(const std::vector<Expr>& exprs) const {
      for (const auto& each : exprs) for_each_reference(each, visit);
    }
    void operator()(const Literal&) const {}
    void operator()(const Ref& ref) const { visit(ref); }
    void operator()(const ListExpr& list) const { all(list.items); }
    void operator()(const ObjectExpr& object) const {
      for (const auto& [key, value] : object.members) for_each_reference(value, visit);
    }
    void operator()(const Computed& computed) const { visit_references(computed, visit); }
    void operator()(const Templated&) const {}
    void operator()(const Concat& concat) const { all(concat.parts); }
    void operator()(const Named& named) const { all(named.sources); }
    void operator()(const StateOf&) const {}
  };
  std::visit(Look{visit}, expr.node);
}

void for_each_reference(const Condition& condition, const RefVisitor& visit) {
  struct Look {
    const RefVisitor& visit;
    void operator()(const Test& test) const {
      for_each_reference(test.param, visit);
      for_each_reference(test.value, visit);
    }
    void operator()(const Group& group) const {
      for (const auto& inner : group.conditions) for_each_reference(inner, visit);
    }
    void operator()(const Truth& truth) const { for_each_reference(truth.value, visit); }
  };
  std::visit(Look{visit}, condition.node);
}

void for_each_reference(const Transform& transform, const RefVisitor& visit) {
  for (const auto& variable : transform.variables) for_each_reference(variable.value, visit);
  for (const auto& result : transform.results) visit_references(result.value, visit);
}

std::vector<StepIndex> steps_referenced(const Expr& expr) { return collected(expr); }

std::vector<StepIndex> steps_referenced(const Condition& condition) { return collected(condition); }

}  // namespace catena::lang
