#pragma once
// The time of a chain, over all the processes that run it one after the other.
#include "base/time.hpp"

namespace catena::engine {

/// How far the time of a chain is ahead of the clock of the process that goes on with it; `last_at` is of its last event, `now` the clock's. Both
/// are constant while that process runs the chain: its time is the clock plus this.
///
/// The clock is right where it is past that event: so much time has gone by, and what fell due meanwhile is due. Where it is before the event,
/// somebody has set the wall clock back, and nobody knows how long the chain stood still: its time goes on from the event. Nothing falls due early
/// then, and what waits has as much left as when the chain was last seen, not the hour more that the wall clock would say.
[[nodiscard]] Millis lead(UnixMillis last_at, UnixMillis now);

}  // namespace catena::engine
