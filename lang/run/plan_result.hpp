#pragma once
// What a plan answers, whether or not all of its steps did: for each what became of it, and one sentence about all of them.
#include <string>

#include "lang/run/scope.hpp"

namespace catena::lang {

/// {"step_<id>_status": …, "step_<id>_result": … or "step_<id>_error": …, …, "result_summary": …} as JSON text, in the order of the plan. A
/// step that was skipped or cancelled has neither result nor error. The result is the last tool's response. Errors: of the scope.
[[nodiscard]] Result<std::string> plan_result(const Program& program, const PlanResult& plan, const Scope& scope);

}  // namespace catena::lang
