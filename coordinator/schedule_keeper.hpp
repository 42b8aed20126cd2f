#pragma once
// Keeps schedules, and begins their runs when they are due. What becomes of a schedule is decided by engine/schedule; this writes it down, does what
// it owes once that is durable, and looks at the clock. An actor of its own, which no chain waits for.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <memory>

#include "actors/messages.hpp"
#include "coordinator/services.hpp"

namespace catena::coordinator {

inline constexpr std::size_t kSchedulesMax = 10'000;

class ScheduleShell;
struct ScheduleKeeperState {
  std::shared_ptr<ScheduleShell> shell;
  static inline const char* name = "schedule_keeper";
};

/// Is sent PutSchedule and OrderSchedule. Until it is sent BeginSchedules it only writes down what it is told: runs that are ordered begin where a
/// coordinator runs.
caf::behavior schedule_keeper(caf::stateful_actor<ScheduleKeeperState>* self, std::shared_ptr<const Services> services);

}  // namespace catena::coordinator
