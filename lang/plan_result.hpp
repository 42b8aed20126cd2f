#pragma once
// What a plan answers.
#include <string>

#include "lang/scope.hpp"

namespace catena::lang {

/// What became of each step of a plan, as a JSON object: step_<id>_status, step_<id>_result or step_<id>_error, and a result_summary in words.
[[nodiscard]] Result<std::string> plan_result(const Program& program, const PlanResult& plan, const Scope& scope);

}  // namespace catena::lang
