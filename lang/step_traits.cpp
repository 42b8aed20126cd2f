#include "lang/step_traits.hpp"

#include <algorithm>

#include "lang/expr/inspect.hpp"
#include "lang/file_attribute.hpp"

namespace catena::lang {
namespace {

bool reads(const Computed& computed) {
  const auto uses = expr::uses_of(*computed.expression);
  return uses.files || uses.late_texts ||
         std::ranges::any_of(computed.references, [](const auto& entry) { return reads_files(entry.second); });
}

void add(std::vector<StepIndex> found, std::vector<StepIndex>& steps) { steps.insert(steps.end(), found.begin(), found.end()); }

void add(const Transform& transform, std::vector<StepIndex>& steps) {
  for (const auto& variable : transform.variables) add(steps_referenced(variable.value), steps);
  for (const auto& result : transform.results) {
    for (const auto& [text, ref] : result.value.references) {
      if (ref.root == Root::step) steps.push_back(ref.step);
    }
  }
}

std::vector<StepIndex> in_order(std::vector<StepIndex> steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

bool reads_files(const Expr& expr) {
  if (const auto* ref = std::get_if<Ref>(&expr.node)) return reads_files(*ref);
  if (const auto* computed = std::get_if<Computed>(&expr.node)) return reads(*computed);
  if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
    return std::ranges::any_of(list->items, [](const Expr& item) { return reads_files(item); });
  }
  const auto* object = std::get_if<ObjectExpr>(&expr.node);
  return object != nullptr && std::ranges::any_of(object->members, [](const auto& member) { return reads_files(member.second); });
}

bool reads_files(const Condition& condition) {
  if (const auto* test = std::get_if<Test>(&condition.node)) return reads_files(test->param) || reads_files(test->value);
  const auto& conditions = std::get<Group>(condition.node).conditions;
  return std::ranges::any_of(conditions, [](const Condition& inner) { return reads_files(inner); });
}

bool reads_files(const Transform& transform) {
  return std::ranges::any_of(transform.variables, [](const auto& variable) { return reads_files(variable.value); }) ||
         std::ranges::any_of(transform.results, [](const auto& result) { return reads(result.value); });
}

bool reads_files(const Step& step) {
  return reads_files(step.bind) || (step.when && reads_files(*step.when)) || (step.each && reads_files(step.each->over)) ||
         (step.prepare && reads_files(*step.prepare));
}

bool shape_reads_files(const Step& step) { return step.shape && reads_files(*step.shape); }

std::vector<StepIndex> steps_seen(const Step& step) {
  auto steps = steps_referenced(step.bind);
  if (step.when) add(steps_referenced(*step.when), steps);
  if (step.each) add(steps_referenced(step.each->over), steps);
  if (step.prepare) add(*step.prepare, steps);
  return in_order(std::move(steps));
}

std::vector<StepIndex> steps_seen_by_shape(const Step& step) {
  std::vector<StepIndex> steps;
  if (step.shape) add(*step.shape, steps);
  return in_order(std::move(steps));
}

}  // namespace catena::lang
