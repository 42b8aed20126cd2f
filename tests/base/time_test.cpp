#include "base/time.hpp"

#include <catch2/catch.hpp>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace catena {

TEST_CASE("a duration is a number and a unit") {
  CHECK(parse_duration("250ms") == Millis{250});
  CHECK(parse_duration("5s") == Millis{5'000});
  CHECK(parse_duration("2m") == Millis{120'000});
  CHECK(parse_duration("1h") == Millis{3'600'000});
  CHECK(parse_duration("7d") == Millis{604'800'000});
  CHECK(parse_duration("1.5s") == Millis{1'500});
  CHECK(parse_duration("0s") == Millis{0});
  CHECK(parse_duration("0.0004s") == Millis{0});
}

TEST_CASE("what is no duration is refused") {
  for (const auto* text : {"", "5", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "5sec", ".5s", "1.2.3s", "1e3s", "5ms5", "0x5s", "inf", "nan"}) {
    INFO('"' << text << '"');
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("a duration over a century is refused") {
  CHECK(parse_duration("36500d"));
  CHECK_FALSE(parse_duration("36501d"));
  CHECK_FALSE(parse_duration("99999999999999999999999d"));
  CHECK_FALSE(parse_duration(std::string(400, '9').append("s")));
}

TEST_CASE("a span is printed in its largest exact unit and reads back") {
  CHECK(to_string(Millis{90'000}) == "90s");
  CHECK(to_string(Millis{0}) == "0ms");
  CHECK(to_string(Millis{120'000}) == "2m");
  CHECK(to_string(Millis{86'400'000}) == "1d");
  CHECK(to_string(Millis{1'001}) == "1001ms");
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Millis span{static_cast<std::int64_t>(mix(seed) % 100'000'000'000ULL)};
    REQUIRE(parse_duration(to_string(span)) == span);
  }
}

TEST_CASE("a point in time is printed in UTC with milliseconds") {
  CHECK(iso8601(0) == "1970-01-01T00:00:00.000Z");
  CHECK(iso8601(1'795'229'291'042) == "2026-11-21T02:48:11.042Z");
  CHECK(iso8601(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(iso8601(951'782'400'000) == "2000-02-29T00:00:00.000Z");
}

TEST_CASE("a manual clock stands still until it is moved") {
  ManualClock clock{1'000};
  CHECK(clock.now() == 1'000);
  clock.advance(Millis{5});
  CHECK(clock.now() == 1'005);
  CHECK(SystemClock{}.now() > 1'700'000'000'000);
}

}  // namespace catena
