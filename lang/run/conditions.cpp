#include "lang/run/conditions.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/fn/value.hpp"
#include "lang/op/operators.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/reference_value.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang {
namespace {

class Judge {
 public:
  Judge(const Program& program, const Scope& scope) : program_{program}, scope_{scope} {}

  std::vector<std::string> warnings;

  Result<bool> holds(const Condition& condition) {
    if (const auto* test = std::get_if<Test>(&condition.node)) return holds(*test, condition.where);
    if (const auto* truth = std::get_if<Truth>(&condition.node)) return holds(*truth);
    return holds(std::get<Group>(condition.node));
  }

 private:
  /// Stops at the first condition that decides.
  Result<bool> holds(const Group& group) {
    const bool deciding = group.logic != Logic::all;  // what one condition must be to decide
    const auto decided = group.logic == Logic::any;
    for (const auto& condition : group.conditions) {
      const auto answer = holds(condition);
      if (!answer || *answer == deciding) return answer ? Result<bool>{decided} : answer;
    }
    return !decided;
  }

  Result<bool> holds(const Truth& truth) {
    const auto value = evaluate(truth.value, program_, scope_);
    if (!value) return fail(value.error());
    return fn::truthy(JsonView{*value}.parse());
  }

  Result<bool> holds(const Test& test, const Place& where) {
    const auto* row = find_operator(test.op);
    if (row == nullptr) return fail(Code::operator_unknown, fmt::format("the operator '{}' is not known", test.op), where);
    const auto param = evaluate_lenient(test.param, program_, scope_);
    if (!param) return fail(param.error());
    std::string warning;
    if (!row->needs_value) {
      // Only null or not matters, so a large value is not parsed.
      return row->apply(JsonView{*param}.is_null() ? Json(nullptr) : Json(true), nullptr, warning);
    }
    const auto value = evaluate_lenient(test.value, program_, scope_);
    if (!value) return fail(value.error());
    const bool answer = row->apply(JsonView{*param}.parse(), JsonView{*value}.parse(), warning);
    if (!warning.empty()) warnings.push_back(std::move(warning));
    return answer;
  }

  const Program& program_;
  const Scope& scope_;
};

}  // namespace

Result<Verdict> holds(const Condition& condition, const Program& program, const Scope& scope) {
  Judge judge{program, scope};
  const auto answer = judge.holds(condition);
  if (!answer) return fail(answer.error());
  return Verdict{*answer, std::move(judge.warnings)};
}

}  // namespace catena::lang
