#pragma once
// transform_arguments and transform_responses of an instruction.
#include <optional>
#include <string>
#include <vector>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_expr.hpp"

namespace catena::lang {

/// transform_arguments of a step whose arguments and fan-out are read. Nothing: there is none, or it transforms nothing.
[[nodiscard]] std::optional<Transform> read_prepare(ObjectReader& instruction, const Step& step, StepIndex self, const Names& names, Report& report);

/// transform_responses.
[[nodiscard]] std::optional<Transform> read_shape(ObjectReader& instruction, const Step& step, StepIndex self, const Names& names, Report& report);

/// The members of responses that an instruction's transform_responses sets, as far as it is written rightly.
[[nodiscard]] std::vector<std::string> keys_added(const Node& instruction);

}  // namespace catena::lang
