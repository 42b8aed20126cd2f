#pragma once
// What is probably not meant, in programs that are sequences: warnings, never errors.
#include <string>
#include <string_view>
#include <vector>

#include "lang/program/program.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// Where a step says itself which step comes next; a place without a line: it does not say.
struct WrittenJumps {
  Place on_success;
  Place on_failure;
};

/// Of one sequence; `jumps` has an entry a step, or none when nothing jumps.
///   step_unreachable      nothing leads to a step
///   falls_into_handler    the step before goes on into one that others go to when they fail
///   id_duplicate          a jump names several steps, of which it means the first
///   retry_not_idempotent  a step is tried again whose effect may happen only once
void lint_sequence(const Program& program, const std::vector<WrittenJumps>& jumps, Report& report);

/// variable_unwritten: a name that is read, in the program or in one that is part of it, and that nothing has written. Says nothing of
/// programs that take any argument.
void lint_variables(const Program& program, const NestedPrograms& nested, Report& report);

}  // namespace catena::lang
