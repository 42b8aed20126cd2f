#pragma once

namespace catena::worker {

/// How a worker's uplink came to its end.
enum class Ending {
  none,         // it has not
  drained,      // all that the worker did is with the coordinator
  leftovers,    // the drain timeout was over before that: what runs is stopped and lost, results that were not confirmed may be
  slots_ended,  // without slots there is no worker
};

}  // namespace catena::worker
