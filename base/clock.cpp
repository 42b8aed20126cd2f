#include "base/clock.hpp"

namespace catena {

UnixMillis SystemClock::now() const {
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace catena
