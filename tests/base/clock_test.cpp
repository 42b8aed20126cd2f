#include "base/clock.hpp"

#include <catch2/catch.hpp>

namespace catena {

TEST_CASE("a process's clock begins with the wall clock, and goes on with a clock that nobody sets") {
  ManualClock wall{5'000};
  const auto passed = std::make_shared<ManualMonotonicClock>(70);
  const AnchoredClock clock{wall, passed};
  CHECK(clock.now() == 5'000);
  passed->advance(Millis{30});
  CHECK(clock.now() == 5'030);
  wall.advance(Millis{3'600'000});
  CHECK(clock.now() == 5'030);
  wall.advance(Millis{-7'200'000});
  CHECK(clock.now() == 5'030);
  passed->advance(Millis{1});
  CHECK(clock.now() == 5'031);
  const AnchoredClock next{wall, passed};
  CHECK(next.now() == 5'000 - 3'600'000);  // the next start takes it as it is
}

TEST_CASE("the clocks of this machine agree when a process starts") {
  const auto before = SystemClock{}.now();
  const AnchoredClock clock;
  const auto now = clock.now();
  CHECK(now >= before);
  CHECK(now <= SystemClock{}.now() + 1);  // two clocks are cut to milliseconds each
  CHECK(BootClock{}.now_ms() > 0);
}

}  // namespace catena
