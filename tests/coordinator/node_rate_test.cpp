#include "coordinator/node_rate.hpp"

#include <catch2/catch.hpp>

#include "actors/messages.hpp"

namespace catena::coordinator::test {

TEST_CASE("a rate is known once a worker has said twice how many attempts it has ended") {
  NodeRate rate;
  rate.record(100, 1'000);
  CHECK(rate.milli() == 0);
  rate.record(150, 2'000);
  CHECK(rate.milli() == 12'500);  // 50 a second: a quarter of it counts
  for (int beat = 3; beat < 60; ++beat) rate.record(static_cast<std::uint64_t>(beat) * 50 + 50, beat * 1'000);
  CHECK(rate.milli() > 49'900);
  CHECK(rate.milli() <= 50'000);
}

TEST_CASE("a link that came back says nothing of the rate: it stays what it was until two more heartbeats") {
  NodeRate rate;
  rate.record(100, 1'000);
  rate.record(200, 2'000);
  const auto known = rate.milli();
  REQUIRE(known == 25'000);
  rate.record(actors::kFinishedUnknown, 3'000);
  CHECK(rate.milli() == known);
  rate.record(5'000, 4'000);
  CHECK(rate.milli() == known);
  rate.record(5'025, 5'000);
  CHECK(rate.milli() == known);  // 25 a second now as well
}

TEST_CASE("what cannot be counted changes no rate") {
  NodeRate rate;
  rate.record(100, 1'000);
  rate.record(200, 2'000);
  rate.record(150, 3'000);  // fewer than before
  rate.record(250, 3'000);  // at the same time
  rate.record(350, 2'500);  // before
  CHECK(rate.milli() == 25'000);
  rate.record(0, 10'000);
  rate.record(actors::kFinishedUnknown - 1, 10'001);  // more than anybody ends: bounded, and no overflow
  CHECK(rate.milli() <= 1'000'000'000'000'000);
}

}  // namespace catena::coordinator::test
