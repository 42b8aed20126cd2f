#pragma once
// Instructions of the tool and agent dialects as steps.
#include <string_view>
#include <vector>

#include "lang/dialect/tool/tool_expr.hpp"

namespace catena::lang {

/// The ids of the steps; reports those that are missing, malformed, reserved or taken.
[[nodiscard]] Names read_names(const Definition& definition, const Spelling& spelling, const std::vector<Node>& instructions, Report& report);

/// A word that means something else in references.
[[nodiscard]] bool is_reserved_id(std::string_view id);

/// One instruction; Step::failed does not know yet who observes the step.
[[nodiscard]] Step read_step(const Node& instruction, StepIndex index, const Names& names, Report& report);

/// Steps whose failure is handled because the step's conditions ask for their status or error.
[[nodiscard]] std::vector<StepIndex> observed_by(const Step& step);

/// Makes `step` call `target`: what it calls, the schemas, and whatever `own` leaves to the definition.
void bind_call(Step& step, const Definition& target, const CallSettings& own);

}  // namespace catena::lang
