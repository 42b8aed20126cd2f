// How far a worker is with draining.
#include "worker/draining.hpp"

#include <catch2/catch.hpp>

namespace catena::worker {
namespace {

constexpr std::int64_t kBeatEvery = 100;

TEST_CASE("that a worker drains is heard with the echo of a heartbeat that said so, and a beat more") {
  Draining draining;
  draining.beat(1000, 0);
  draining.echo(1000, kBeatEvery);
  CHECK_FALSE(draining.heard());  // it does not drain
  REQUIRE(draining.begin(1050, false));
  draining.beat(1050, 1050);  // of the same time as one that did not say so
  draining.beat(1100, 1050);
  draining.beat(1200, 1100);
  draining.echo(1100, kBeatEvery);
  CHECK_FALSE(draining.heard());
  SECTION("then it is") {
    draining.echo(1200, kBeatEvery);
    CHECK(draining.heard());
  }
  SECTION("on a new link it is to be said again") {
    draining.lose_link();
    draining.echo(1300, kBeatEvery);
    CHECK_FALSE(draining.heard());
    CHECK(draining.on());
  }
}

TEST_CASE("draining can be taken back, unless the process was told to end") {
  Draining draining;
  CHECK_FALSE(draining.take_back());
  CHECK(draining.begin(0, false));
  CHECK_FALSE(draining.begin(10, false));
  SECTION("taken back") {
    CHECK(draining.take_back());
    CHECK_FALSE(draining.on());
    CHECK_FALSE(draining.over(1'000'000, 100));
    CHECK(draining.begin(500, false));
    CHECK_FALSE(draining.over(599, 100));
    CHECK(draining.over(600, 100));
  }
  SECTION("for good, said while it drains already") {
    CHECK_FALSE(draining.begin(10, true));
    CHECK_FALSE(draining.take_back());
    CHECK(draining.over(100, 100));  // its time runs from the first
  }
}

}  // namespace
}  // namespace catena::worker
