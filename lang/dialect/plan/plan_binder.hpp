#pragma once
// The tool that fills in what a plan leaves open: the step that asks it, before the tool that needs something, and what becomes of its
// answer.
#include "lang/dialect/plan/plan_parts.hpp"

namespace catena::lang {

/// What the plan's binder has to take: some of what it is told, and nothing else that it requires.
void check_binder(const Plan& plan, Report& report);

/// Asks the binder for what neither `given` nor any earlier result has; skipped when that is nothing.
[[nodiscard]] Step bind_step(const Plan& plan, std::size_t step, std::size_t tool, const ObjectExpr& given);

/// The object of parameters that the binder answered with: its response's `parameters`, else its `json`, else the response. Null when it
/// was not asked.
[[nodiscard]] Expr answer_of_binder(StepIndex bind, const Place& where);

/// The step runs after the binder, unless that failed.
void wait_for_binder(Step& made, StepIndex bind, const Place& where);

}  // namespace catena::lang
