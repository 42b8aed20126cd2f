#include "cli/processes/clock_watch.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {

TEST_CASE("a daemon says once that the wall clock was set, and when it is right again") {
  using namespace std::chrono_literals;
  ManualClock wall;
  const ManualClock own;
  ClockWatch watch{[&] { return wall.now(); }, [&] { return own.now(); }};
  CHECK_FALSE(watch.look());
  wall.advance(59s);  // a clock that is corrected a little is no news
  CHECK_FALSE(watch.look());
  wall.advance(-1h - 59s);
  const auto back = watch.look();
  REQUIRE(back);
  CHECK(back->find("was set back by 1h") != std::string::npos);
  CHECK_FALSE(watch.look());
  wall.advance(3h);
  const auto forward = watch.look();
  REQUIRE(forward);
  CHECK(forward->find("was set forward by 2h") != std::string::npos);
  wall.advance(-2h);
  CHECK(watch.look() == "the clock of this machine is right again");
  CHECK_FALSE(watch.look());
}

TEST_CASE("clocks that nobody sets are no news") {
  ClockWatch watch;
  CHECK_FALSE(watch.look());
}

}  // namespace catena::cli::test
