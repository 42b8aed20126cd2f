#pragma once
// The arguments a step gives, against what the called definition declares: as far as it can be known before anything runs.
#include <string_view>

#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// Reports unknown names, missing required ones, and literals of the wrong type or outside an enum.
void check_arguments_given(const Step& step, const Definition& target, const Node& instruction, std::string_view what, Report& report);

/// The same of a step whose arguments stand in the object `given` (null: it gives none), without an item or transforms.
void check_inputs_given(const Step& step, const Definition& target, const Node* given, std::string_view what, Report& report);

}  // namespace catena::lang
