#pragma once
// From an order to what executors run.
#include "actors/protocol.hpp"
#include "base/time.hpp"
#include "worker/executor.hpp"

namespace catena::worker {

/// What all attempts of an order that came at `now` have in common.
[[nodiscard]] Task task_of(const actors::WorkOrder& order, UnixMillis now);
/// Makes it the task of this attempt.
void set_attempt(Task& task, actors::Attempted attempt);

}  // namespace catena::worker
