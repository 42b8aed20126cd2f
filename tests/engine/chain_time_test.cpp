#include "engine/chain_time.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "engine/engine.hpp"

namespace catena::engine::test {
namespace {

constexpr UnixMillis kSeen = 1'700'000'000'000;  // of the chain's last event
constexpr Millis kHour = std::chrono::hours{1};

/// How long something due `wait` after that event waits in a process that starts with the clock at `now`.
Millis left(Millis wait, UnixMillis now) { return Millis{kSeen + wait.count() - (now + lead(kSeen, now).count())}; }

}  // namespace

TEST_CASE("a clock past the last event is taken as it is: so much time has gone by") {
  CHECK(lead(kSeen, kSeen) == Millis{0});
  CHECK(lead(kSeen, kSeen + 4'000) == Millis{0});
  CHECK(left(Millis{10'000}, kSeen + 4'000) == Millis{6'000});
  CHECK(left(Millis{10'000}, kSeen + kHour.count()) < Millis{0});
  CHECK(lead(0, kSeen) == Millis{0});  // a new chain has no event
}

TEST_CASE("a clock before the last event leaves what waits as much as it had then, no less and no more") {
  for (const auto back : {Millis{1}, Millis{4'000}, kHour, 10'000 * kHour}) {
    CAPTURE(back.count());
    CHECK(left(Millis{10'000}, kSeen - back.count()) == Millis{10'000});
    CHECK(left(Millis{0}, kSeen - back.count()) == Millis{0});
  }
}

TEST_CASE("a time that no clock shows does not overflow") {
  const auto most = lead(std::numeric_limits<UnixMillis>::max(), kSeen);
  CHECK(most > 10'000 * kHour);
  CHECK(kSeen + most.count() < std::numeric_limits<UnixMillis>::max() / 2);
  CHECK(lead(std::numeric_limits<UnixMillis>::min(), kSeen) == Millis{0});
}

TEST_CASE("a state knows the latest time of its events, also from a checkpoint") {
  ChainState state;
  ChainStarted started;
  started.steps = 1;
  started.at = 50;
  evolve(state, started);
  evolve(state, PauseChanged{true, 80});
  evolve(state, PauseChanged{false, 70});
  CHECK(state.last_at == 80);
  const auto read = decode_state(encode(state));
  REQUIRE(read);
  CHECK(read->last_at == 80);
}

}  // namespace catena::engine::test
