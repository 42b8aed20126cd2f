#pragma once
// One program started as a child: what posix_spawn does, and what it cannot do: the child tells the keeper of its process group before it runs
// anything, and may become another user.
#include <sys/types.h>

#include <atomic>

#include "base/fd.hpp"
#include "worker/tool_user.hpp"

namespace catena::worker {

/// Everything is used until launch() returns, and nothing after.
struct Launch {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int input = -1;  // each above 2
  int output = -1;
  int error = -1;
  int notes = -1;                         // above 3; becomes descriptor 3. -1: the child has none
  const char* directory = nullptr;        // null: that of this process
  const ToolUser* user = nullptr;         // null: that of this process
  std::atomic<::pid_t>* group = nullptr;  // in memory that the keeper shares; null: nobody is told
};

/// What the child was doing when it could not go on.
enum class LaunchStep { begin, group, user, directory, streams, program };

struct Launched {
  ::pid_t pid = -1;  // leader of a process group of its own; -1: it was not started
  Fd pidfd;
  int reason = 0;  // errno, when it was not started
  LaunchStep failed_at = LaunchStep::begin;
};

/// The child has descriptors 0, 1 and 2, 3 where it has notes, and no other, no blocked signal, and none ignored. With a user it has that user's ids,
/// its groups and no capability, or it is not started.
[[nodiscard]] Launched launch(const Launch& plan);

}  // namespace catena::worker
