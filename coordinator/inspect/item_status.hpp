#pragma once
// What has become of one item, as the state of its chain tells.
#include "coordinator/inspect/task_questions.hpp"
#include "engine/state.hpp"

namespace catena::coordinator {

[[nodiscard]] ItemStatus status_of_item(const engine::ChainState& state, StepIndex step, ItemIndex item);

}  // namespace catena::coordinator
