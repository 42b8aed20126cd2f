#include "worker/boot_clock.hpp"

#include <time.h>

namespace catena::worker {

std::int64_t BootClock::now_ms() const {
  ::timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);  // cannot fail: the clock and the pointer are valid
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace catena::worker
