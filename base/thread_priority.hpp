#pragma once
#include <sys/resource.h>
#include <unistd.h>

namespace catena {

/// Threads of others come before the calling one from now on, by so many steps of nice(2). Where that is not allowed only the precedence is lost.
/// Linux alone has it for a thread.
inline void step_back(int steps) {
  const auto thread = static_cast<id_t>(::gettid());
  static_cast<void>(::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + steps));
}

}  // namespace catena
