#pragma once
// What a retry would do, for a person.
#include <string>

#include "cli/show/table.hpp"
#include "coordinator/inspect/fork_questions.hpp"
#include "coordinator/inspect/repair_questions.hpp"

namespace catena::cli {

/// A row a step.
[[nodiscard]] std::string repair_page(const coordinator::RepairPreview& preview, const Room& room);
/// What a fork would do.
[[nodiscard]] std::string fork_page(const coordinator::ForkPreview& preview, const Room& room);

}  // namespace catena::cli
