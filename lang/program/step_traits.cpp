#include "lang/program/step_traits.hpp"

#include <algorithm>

#include "lang/expr/inspect.hpp"
#include "lang/file/file_attribute.hpp"

namespace catena::lang {
namespace {

bool reads(const Computed& computed) {
  const auto uses = expr::uses_of(*computed.expression);
  return uses.files || uses.late_texts || std::ranges::any_of(computed.references, [](const auto& entry) { return reads_files(entry.second); });
}

void add(std::vector<StepIndex> found, std::vector<StepIndex>& steps) { steps.insert(steps.end(), found.begin(), found.end()); }

void add(const Transform& transform, std::vector<StepIndex>& steps) {
  for_each_reference(transform, [&](const Ref& ref) {
    if (ref.root == Root::step) steps.push_back(ref.step);
  });
}

bool any_reads_files(const std::vector<Expr>& exprs) {
  return std::ranges::any_of(exprs, [](const Expr& each) { return reads_files(each); });
}

struct ReadsFiles {
  bool operator()(const Literal&) const { return false; }
  bool operator()(const Ref& ref) const { return reads_files(ref); }
  bool operator()(const ListExpr& list) const { return any_reads_files(list.items); }
  bool operator()(const ObjectExpr& object) const {
    return std::ranges::any_of(object.members, [](const auto& member) { return reads_files(member.second); });
  }
  bool operator()(const Computed& computed) const { return reads(computed); }
  bool operator()(const Templated& templated) const {
    return std::ranges::any_of(templated.text.uses(), [](const expr::Uses& uses) { return uses.files || uses.late_texts; });
  }
  bool operator()(const Concat& concat) const { return any_reads_files(concat.parts); }
  bool operator()(const Named& named) const { return any_reads_files(named.sources); }
  bool operator()(const StateOf&) const { return false; }
};

std::vector<StepIndex> in_order(std::vector<StepIndex> steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

bool reads_files(const Ref& ref) {
  if (!ref.file) return false;
  if (ref.path.size() <= ref.file->segments) return !ref.file->stays_a_path;
  const auto* row = find_file_attribute(ref.path[ref.file->segments]);
  return row != nullptr && !row->in_path;
}

bool reads_files(const Expr& expr) { return std::visit(ReadsFiles{}, expr.node); }

bool reads_files(const Condition& condition) {
  if (const auto* test = std::get_if<Test>(&condition.node)) return reads_files(test->param) || reads_files(test->value);
  if (const auto* truth = std::get_if<Truth>(&condition.node)) return reads_files(truth->value);
  const auto& conditions = std::get<Group>(condition.node).conditions;
  return std::ranges::any_of(conditions, [](const Condition& inner) { return reads_files(inner); });
}

bool reads_files(const Transform& transform) {
  return std::ranges::any_of(transform.variables, [](const auto& variable) { return reads_files(variable.value); }) ||
         std::ranges::any_of(transform.results, [](const auto& result) { return reads(result.value); });
}

bool reads_files(const Step& step) {
  return reads_files(step.bind) || (step.when && reads_files(*step.when)) || (step.each && reads_files(step.each->over)) ||
         (step.prepare && reads_files(*step.prepare)) ||
         std::ranges::any_of(step.surroundings.environment, [](const EnvVariable& variable) { return reads_files(variable.value); });
}

std::vector<StepIndex> steps_seen(const Step& step) {
  auto steps = steps_referenced(step.bind);
  if (step.when) add(steps_referenced(*step.when), steps);
  if (step.each) add(steps_referenced(step.each->over), steps);
  if (step.prepare) add(*step.prepare, steps);
  for (const auto& variable : step.surroundings.environment) add(steps_referenced(variable.value), steps);
  return in_order(std::move(steps));
}

bool shape_sees_chain(const Step& step) {
  bool sees = false;
  if (step.shape) for_each_reference(*step.shape, [&](const Ref& ref) { sees |= ref.root != Root::response; });
  return sees;
}

bool items_vary(const Step& step) { return step.prepare && std::ranges::any_of(step.prepare->results, &Transform::Result::sees_item); }

}  // namespace catena::lang
