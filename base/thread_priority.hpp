#pragma once
#include <sys/resource.h>
#include <unistd.h>

namespace catena {

/// Raises the nice value of the calling thread, see nice(2): where processors are short, other threads come before it from now on. On Linux each
/// thread has a nice value of its own.
inline void raise_nice(int by) {
  const auto thread = static_cast<id_t>(::gettid());
  static_cast<void>(::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + by));
}

}  // namespace catena
