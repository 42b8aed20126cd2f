#pragma once
// Submissions with a key: the same one once more is answered with the chain that it made, another one under its key is refused. The supervisor is the
// one place where both can meet.
#include <optional>

#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// Whether the key settles what becomes of the submission: it was answered, or it waits for one with its key to be durable. False: it is the first,
/// and is given what its chain records of that.
[[nodiscard]] bool met_by_key(SupervisorSelf self, actors::Submission& submission, const caf::actor& asker);

/// Its chain begins.
void begin_keyed(SupervisorState& state, const actors::Submission& submission, const caf::actor& asker);
/// It does no more.
[[nodiscard]] std::optional<SupervisorState::Keyed> take_keyed(SupervisorState& state, const ChainId& chain);

/// There are keys that expire some day.
void watch_keys(SupervisorSelf self);
/// Some of those that have. Done by the supervisor, because nobody else knows which are just being used again.
void forget_expired_keys(SupervisorSelf self);

}  // namespace catena::coordinator
