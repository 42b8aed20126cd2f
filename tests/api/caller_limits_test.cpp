// How much one caller may ask: rates, bursts, open requests, and what is kept of callers.
#include "api/caller_limits.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace catena::api::test {
namespace {

constexpr UnixMillis kStart = 1'700'000'000'000;

std::shared_ptr<CallerLimits> limits_of(CallerBounds bounds) { return std::make_shared<CallerLimits>(bounds); }

}  // namespace

TEST_CASE("a burst comes at once, then one request each part of a second, whatever is refused in between") {
  const auto limits = limits_of({.requests_per_second = 10, .burst = 5});
  for (std::uint32_t request = 0; request < 5; ++request) {
    const auto admission = limits->admit("ann", kStart);
    CHECK(admission.seat != nullptr);
    CHECK(admission.use.remaining == 4 - request);
  }
  for (int refused = 0; refused < 100; ++refused) {
    const auto admission = limits->admit("ann", kStart);
    CHECK(admission.seat == nullptr);
    CHECK(admission.retry_after_s == 1);
  }
  CHECK(limits->admit("bob", kStart).seat != nullptr);
  CHECK(limits->admit("ann", kStart + 99).seat == nullptr);
  CHECK(limits->admit("ann", kStart + 100).seat != nullptr);
  CHECK(limits->admit("ann", kStart + 199).seat == nullptr);
  int admitted = 0;
  for (UnixMillis at = kStart + 1'000; at < kStart + 11'000; at += 7) admitted += limits->admit("ann", at).seat != nullptr ? 1 : 0;
  CHECK(admitted >= 100);
  CHECK(admitted <= 105);
}

TEST_CASE("whoever waits as long as a refusal says is let in") {
  for (const std::uint32_t rate : {1U, 3U, 7U, 1'000U}) {
    CAPTURE(rate);
    const auto limits = limits_of({.requests_per_second = rate});
    UnixMillis now = kStart;
    for (std::uint32_t request = 0; request < 3 * rate; ++request) {
      const auto admission = limits->admit("ann", now);
      if (admission.seat != nullptr) continue;
      REQUIRE(admission.retry_after_s >= 1);
      now += 1'000 * admission.retry_after_s;
      CHECK(limits->admit("ann", now).seat != nullptr);
    }
  }
}

TEST_CASE("open requests are bounded for each caller, and a place is given back once") {
  const auto limits = limits_of({.open_requests = 2});
  auto one = limits->admit("ann", kStart);
  const auto two = limits->admit("ann", kStart);
  REQUIRE(two.seat != nullptr);
  CHECK(two.use.open == 2);
  const auto refused = limits->admit("ann", kStart);
  CHECK(refused.seat == nullptr);
  CHECK(refused.retry_after_s == 1);
  CHECK(limits->admit("bob", kStart).seat != nullptr);
  one.seat->give_back();
  one.seat->give_back();
  one.seat.reset();
  const auto three = limits->admit("ann", kStart);
  CHECK(three.seat != nullptr);
  CHECK(limits->admit("ann", kStart).seat == nullptr);
}

TEST_CASE("callers that are told apart are bounded; the others share, and those who come to rest are forgotten") {
  const auto limits = limits_of({.requests_per_second = 1, .open_requests = 100, .callers = 10});
  const auto stays = limits->admit("stays", kStart);
  for (int caller = 0; caller < 1'000; ++caller) {
    static_cast<void>(limits->admit("caller " + std::to_string(caller), kStart));
    CHECK(limits->size() <= 11);
  }
  CHECK(limits->admit("one more", kStart).seat == nullptr);  // it shares
  for (int second = 1; second < 100; ++second) {
    CHECK(limits->admit("caller " + std::to_string(second), kStart + second * 2'000).seat != nullptr);
    CHECK(limits->size() <= 11);
  }
  CHECK(stays.seat != nullptr);
  CHECK(limits->admit("stays", kStart + 200'000).use.open == 2);
}

TEST_CASE("a rate of one's own takes the place of the general one, also where there is none") {
  for (const auto& general : {CallerBounds{.requests_per_second = 1, .burst = 2, .open_requests = 30}, CallerBounds{}}) {
    const auto limits = limits_of(general);
    CHECK(limits->any_of({}) == general.any());
    CHECK(limits->any_of({10, 20}));
    int admitted = 0;
    std::vector<std::shared_ptr<CallerLimits::Seat>> open;
    for (int request = 0; request < 25; ++request) {
      const auto admission = limits->admit("ann", kStart, {10, 20});
      CHECK(admission.use.bounds.requests_per_second == 10);
      CHECK(admission.use.bounds.burst == 20);
      CHECK(admission.use.bounds.open_requests == general.open_requests);
      if (admission.seat == nullptr) continue;
      ++admitted;
      open.push_back(admission.seat);
    }
    CHECK(admitted == 20);
    CHECK(limits->admit("ann", kStart + 100, {10, 20}).seat != nullptr);
  }
}

TEST_CASE("whoever has a rate of one's own has it when no more callers are told apart, and is forgotten like them") {
  const auto limits = limits_of({.requests_per_second = 1, .callers = 10});
  for (int caller = 0; caller < 20; ++caller) static_cast<void>(limits->admit("caller " + std::to_string(caller), kStart));
  CHECK(limits->admit("caller 20", kStart).seat == nullptr);
  for (int request = 0; request < 5; ++request) CHECK(limits->admit("ann", kStart, {5, 0}).seat != nullptr);
  CHECK(limits->admit("ann", kStart, {5, 0}).seat == nullptr);
  CHECK(limits->size() == 12);
  CHECK(limits->admit("bob", kStart + 20'000).seat != nullptr);
  CHECK(limits->size() == 1);
}

TEST_CASE("a limit is told as the fields of the draft have it") {
  const auto limits = limits_of({.requests_per_second = 10, .burst = 25, .open_requests = 8});
  const auto admission = limits->admit("ann", kStart);
  const auto headers = limit_headers(admission.use);
  REQUIRE(headers.size() == 2);
  CHECK(headers[0] == std::pair<std::string, std::string>{"RateLimit-Policy", R"("requests";q=25;w=3, "open";q=8;qu="concurrent-requests")"});
  CHECK(headers[1] == std::pair<std::string, std::string>{"RateLimit", R"("requests";r=24;t=1, "open";r=7)"});
  CHECK(limit_headers({}).empty());
}

}  // namespace catena::api::test
