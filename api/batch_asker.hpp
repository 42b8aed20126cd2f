#pragma once
// The actor of one batch: submits its lines to the supervisor and ends when each has come to something.
#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/fwd.hpp>

#include "api/desk.hpp"

namespace catena::api {

/// Sends BatchDone to the desk. A line that is acknowledged is durable.
caf::behavior batch_asker(caf::event_based_actor* self, const caf::actor& desk, const caf::actor& supervisor, BatchDone done);

}  // namespace catena::api
