#pragma once
// The coordinator's file store, for the tools of a worker elsewhere: each call goes through the uplink and waits for the answer. For slot
// threads, which may block; never for actors.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "actors/file_calls.hpp"
#include "base/time.hpp"

namespace catena::worker {

/// `timeout` is that of one call. Does not keep the uplink alive; without it, or an answer in time: connection_failed, retryable. The system
/// must outlive it.
[[nodiscard]] actors::AskedFiles remote_files(caf::actor_system& system, const caf::actor& uplink, Millis timeout = Millis{60'000});

}  // namespace catena::worker
