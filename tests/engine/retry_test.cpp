#include "engine/retry.hpp"

#include <catch2/catch.hpp>

namespace catena::engine {
namespace {

lang::RetryPolicy policy(double jitter) {
  lang::RetryPolicy made;
  made.max_attempts = 5;
  made.initial_interval = Millis{100};
  made.backoff = 3.0;
  made.max_interval = Millis{2000};
  made.jitter = jitter;
  return made;
}

Error temporary() { return make_error(Code::tool_temporary, "busy"); }

}  // namespace

TEST_CASE("without jitter the pause is exactly initial * backoff^(failed-1), up to the longest") {
  CHECK(backoff(policy(0), 1, 7) == Millis{100});
  CHECK(backoff(policy(0), 2, 7) == Millis{300});
  CHECK(backoff(policy(0), 3, 7) == Millis{900});
  CHECK(backoff(policy(0), 4, 7) == Millis{2000});
}

TEST_CASE("a pause whose power overflows is the longest one") {
  CHECK(backoff(policy(0), 4'000'000'000, 1) == Millis{2000});
  auto huge = policy(0);
  huge.backoff = 1e300;
  CHECK(backoff(huge, 50, 1) == Millis{2000});
}

TEST_CASE("jitter stays within its share, never goes over the longest pause, and uses its room") {
  Millis least{10'000}, most{0};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto pause = backoff(policy(0.2), 2, seed);
    REQUIRE(pause >= Millis{240});
    REQUIRE(pause <= Millis{360});
    least = std::min(least, pause);
    most = std::max(most, pause);
    REQUIRE(backoff(policy(0.2), 4, seed) <= Millis{2000});
  }
  CHECK(least < Millis{250});
  CHECK(most > Millis{350});
}

TEST_CASE("a pause is the same for the same seed and differs between attempts") {
  CHECK(backoff(policy(0.5), 2, 42) == backoff(policy(0.5), 2, 42));
  auto flat = policy(0.5);
  flat.backoff = 1;
  CHECK(backoff(flat, 1, 42) != backoff(flat, 2, 42));
}

TEST_CASE("full jitter never makes a pause negative") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) REQUIRE(backoff(policy(1.0), 1, seed) >= Millis{0});
}

TEST_CASE("an error that is not retryable is final") {
  CHECK(next_attempt(policy(0), temporary(), 1, 1) == Millis{100});
  auto fatal = temporary();
  fatal.retryable = false;
  CHECK_FALSE(next_attempt(policy(0), fatal, 1, 1));
}

TEST_CASE("a code that the policy names is final even when the error says retryable") {
  auto strict = policy(0);
  strict.non_retryable = {"tool_timeout", "tool_temporary"};
  CHECK_FALSE(next_attempt(strict, temporary(), 1, 1));
}

TEST_CASE("attempts are used up at max_attempts; zero means no limit") {
  CHECK(next_attempt(policy(0), temporary(), 4, 1));
  CHECK_FALSE(next_attempt(policy(0), temporary(), 5, 1));
  auto endless = policy(0);
  endless.max_attempts = 0;
  CHECK(next_attempt(endless, temporary(), 1'000'000, 1) == Millis{2000});
}

TEST_CASE("an error's retry_after_ms is waited for at least, and for an hour at most") {
  auto asking = temporary();
  asking.details = Json{{"retry_after_ms", 700}};
  CHECK(next_attempt(policy(0), asking, 1, 1) == Millis{700});
  CHECK(next_attempt(policy(0), asking, 3, 1) == Millis{900});
  for (const auto& far : {Json(86'400'000), Json(INT64_MAX), Json(UINT64_MAX)}) {
    asking.details["retry_after_ms"] = far;
    CHECK(next_attempt(policy(0), asking, 1, 1) == Millis{3'600'000});
  }
  for (const auto& unfit : {Json(-5), Json(INT64_MIN), Json(1.5), Json("60"), Json(nullptr)}) {
    asking.details["retry_after_ms"] = unfit;
    CHECK(next_attempt(policy(0), asking, 1, 1) == Millis{100});
  }
  asking.details = Json{{"retry_after_ms", 700}};
  CHECK_FALSE(next_attempt(policy(0), asking, 5, 1));
  asking.retryable = false;
  CHECK_FALSE(next_attempt(policy(0), asking, 1, 1));
}

TEST_CASE("a postponed attempt waits for as long as it asks, days too; without a word for the policy's first pause") {
  auto later = make_error(Code::postponed, "not yet");
  CHECK(postponement(policy(0), later) == Millis{100});
  later.details = Json{{"retry_after_ms", 172'800'000}};
  CHECK(postponement(policy(0), later) == std::chrono::hours{48});
  later.details["retry_after_ms"] = 0;
  CHECK(postponement(policy(0), later) == Millis{0});
  later.details["retry_after_ms"] = UINT64_MAX;
  CHECK(postponement(policy(0), later) == kPostponedMax);
}

}  // namespace catena::engine
