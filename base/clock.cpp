#include "base/clock.hpp"

#include <time.h>

#include <utility>

namespace catena {

UnixMillis SystemClock::now() const { return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::int64_t BootClock::now_ms() const {
  ::timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);  // cannot fail: the clock and the pointer are valid
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

AnchoredClock::AnchoredClock() : AnchoredClock{SystemClock{}, std::make_shared<BootClock>()} {}

AnchoredClock::AnchoredClock(const Clock& wall, std::shared_ptr<const MonotonicClock> passed)
    : passed_{std::move(passed)}, began_ms_{passed_->now_ms()}, began_{wall.now()} {}

}  // namespace catena
