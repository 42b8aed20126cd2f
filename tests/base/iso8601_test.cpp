#include "base/iso8601.hpp"

#include <catch2/catch.hpp>

namespace catena {

TEST_CASE("a moment is printed with all its digits, before 1970 and far from it, too") {
  CHECK(iso8601(0) == "1970-01-01T00:00:00.000Z");
  CHECK(iso8601(1'795'910'399'999) == "2026-11-28T23:59:59.999Z");
  CHECK(iso8601(951'782'400'007) == "2000-02-29T00:00:00.007Z");
  CHECK(iso8601(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(iso8601(-62'135'596'800'000) == "0001-01-01T00:00:00.000Z");
  CHECK(iso8601(253'402'300'799'999) == "9999-12-31T23:59:59.999Z");
  CHECK(iso8601(253'402'300'800'000) == "10000-01-01T00:00:00.000Z");
}

TEST_CASE("what iso8601 prints is read back") {
  for (const UnixMillis at :
       {UnixMillis{0}, UnixMillis{1'700'000'000'042}, UnixMillis{-1}, UnixMillis{951'782'400'000}, UnixMillis{253'402'300'799'999}}) {
    CHECK(parse_iso8601(iso8601(at)) == at);
  }
}

TEST_CASE("a date, a time without seconds, fractions and offsets are read") {
  CHECK(parse_iso8601("1970-01-02") == 86'400'000);
  CHECK(parse_iso8601("1970-01-01T00:01Z") == 60'000);
  CHECK(parse_iso8601("1970-01-01 00:00:01") == 1'000);
  CHECK(parse_iso8601("1970-01-01T00:00:00.5Z") == 500);
  CHECK(parse_iso8601("1970-01-01T00:00:00.123456789Z") == 123);
  CHECK(parse_iso8601("1970-01-01T02:00:00+02:00") == 0);
  CHECK(parse_iso8601("1970-01-01T00:00:00-0130") == 5'400'000);
  CHECK(parse_iso8601("1970-01-01T00:00:00+01") == -3'600'000);
  CHECK(parse_iso8601("2024-02-29T00:00:00Z").has_value());
}

TEST_CASE("what is no point in time is nothing") {
  for (const auto* text : {"", "now", "1970", "1970-13-01", "2023-02-29", "1970-01-01T", "1970-01-01T24:00Z", "1970-01-01T00:60Z",
                           "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00ZZ", "1970-01-01T00:00+", "1970-01-01T00:00+2",
                           "1970-01-01T00:00+24:00", "1970-1-1", "1970-01-01x", " 1970-01-01", "1970-01-01T00:00:00+01:", "-970-01-01"}) {
    INFO(text);
    CHECK_FALSE(parse_iso8601(text));
  }
}

}  // namespace catena
