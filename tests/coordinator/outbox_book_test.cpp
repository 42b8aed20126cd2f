// When deliveries of webhooks are tried, and how they are signed.
#include "coordinator/outbox_book.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace catena::coordinator::test {
namespace {

constexpr UnixMillis kBegin = 1'700'000'000'000;
constexpr std::int64_t kDay = 24 * 3'600'000;

/// Every time of a try of a delivery whose receiver never takes it.
std::vector<UnixMillis> times_of_tries(std::uint64_t seed) {
  std::vector<UnixMillis> times{kBegin};
  while (const auto next = next_try(static_cast<std::uint32_t>(times.size()), kBegin, times.back(), {}, seed + times.size())) times.push_back(*next);
  return times;
}

}  // namespace

TEST_CASE("tries of a delivery come farther and farther apart, and end after a day") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto times = times_of_tries(seed);
    CHECK(times.size() >= 11);
    CHECK(times.size() <= 16);
    CHECK(times.back() == kBegin + kDay);
    CHECK(times[1] - times[0] >= 4'000);
    CHECK(times[1] - times[0] <= 6'000);
    for (std::size_t at = 1; at < times.size(); ++at) CHECK(times[at] > times[at - 1]);
  }
  CHECK(times_of_tries(1) != times_of_tries(2));
  CHECK(times_of_tries(1) == times_of_tries(1));
}

TEST_CASE("what a receiver asks for is kept to, and one that asks for more than there is time for gets no more") {
  CHECK(next_try(1, kBegin, kBegin, Millis{120'000}, 7).value() == kBegin + 120'000);
  CHECK(next_try(4, kBegin, kBegin, Millis{1}, 7).value() > kBegin + 400'000);
  CHECK_FALSE(next_try(1, kBegin, kBegin, Millis{2 * kDay}, 7));
  CHECK(next_try(1, kBegin, kBegin + kDay - 1, Millis{1}, 7).value() == kBegin + kDay);
  CHECK_FALSE(next_try(1, kBegin, kBegin + kDay, {}, 7));
}

TEST_CASE("2xx delivers, 410 ends a delivery, and all else is tried again") {
  CHECK(verdict_of(200) == TryVerdict::delivered);
  CHECK(verdict_of(204) == TryVerdict::delivered);
  CHECK(verdict_of(410) == TryVerdict::never);
  for (const std::uint32_t status : {0U, 301U, 400U, 404U, 429U, 500U, 503U}) CHECK(verdict_of(status) == TryVerdict::again);
}

TEST_CASE("signatures are those of Standard Webhooks") {
  CHECK(webhook_signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330, R"({"test": 2432232314})") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  CHECK(webhook_signature("a plain key", "m", 1, "{}") != webhook_signature("another key", "m", 1, "{}"));
}

TEST_CASE("deliveries are tried when they are due, the first one first") {
  OutboxBook book;
  book.add("b", "http://x", 20);
  book.add("a", "http://x", 10);
  CHECK(book.next_due() == 10);
  CHECK_FALSE(book.take(9));
  CHECK(book.take(10) == "a");
  CHECK(book.under_way("a"));
  CHECK_FALSE(book.take(19));
  CHECK(book.take(25) == "b");
  CHECK_FALSE(book.next_due());
  book.again("a", 50);
  CHECK(book.next_due() == 50);
  book.add("a", "http://x", 30);  // somebody asks for it earlier
  CHECK(book.next_due() == 30);
  book.settle("b");
  CHECK(book.take(30) == "a");
  book.settle("a");
  CHECK(book.size() == 0);
  book.settle("a");
  book.again("a", 1);
  CHECK(book.size() == 0);
}

TEST_CASE("a server that does not answer holds up nobody else, and never more than a few tries") {
  OutboxBook book{{.at_once = 6, .of_server = 2}};
  for (int number = 0; number < 100; ++number) book.add("dead" + std::to_string(number), "http://dead", 1);
  book.add("live", "http://live", 5);
  CHECK(book.take(10) == "dead0");
  CHECK(book.take(10) == "live");
  CHECK(book.take(10) == "dead1");
  CHECK_FALSE(book.take(10));
  for (const auto* server : {"http://a", "http://b", "http://c", "http://d"}) book.add(server, server, 6);
  CHECK(book.take(10));
  CHECK(book.take(10));
  CHECK(book.take(10));
  CHECK_FALSE(book.take(10));  // as many as are made at a time
  CHECK_FALSE(book.next_due());
  book.settle("live");
  CHECK(book.take(10));
  CHECK(book.oldest() == "dead10");
}

TEST_CASE("servers that hang and have much to be told do not take each place that becomes free") {
  OutboxBook book{{.at_once = 4, .of_server = 2}};
  for (int number = 0; number < 10; ++number) {
    book.add("one" + std::to_string(number), "http://one", 1);
    book.add("two" + std::to_string(number), "http://two", 2);
  }
  for (int place = 0; place < 4; ++place) CHECK(book.take(10));
  book.add("live", "http://live", 9);
  book.again("one0", 9000);
  CHECK(book.take(10) == "live");
}

}  // namespace catena::coordinator::test
