#pragma once
// The epochs of a chain as `show` has them: a table where there was more than one, and records. Pure.
#include <string>
#include <vector>

#include "cli/show/table.hpp"
#include "client/questions.hpp"

namespace catena::cli {

/// Lines below a heading; none where the chain had one epoch. `ids` are those of its steps.
[[nodiscard]] std::vector<std::string> epoch_lines(const client::AttemptsAndEpochs& told, const std::vector<coordinator::StepRow>& steps,
                                                   UnixMillis now, const Room& room);
/// All that are known, from the first on.
[[nodiscard]] Json epochs_json(const client::AttemptsAndEpochs& told, const std::vector<coordinator::StepRow>& steps);

}  // namespace catena::cli
