#include "base/deadline.hpp"

#include <catch2/catch.hpp>

namespace catena {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a deadline is a span from the begin on, or a time with its offset") {
  CHECK(read_deadline("2h") == Deadline{2h, 0});
  CHECK(read_deadline("2h")->of_begin(1000) == 1000 + 7'200'000);
  CHECK(read_deadline("2027-01-31T08:00:00Z")->at == 1'801'382'400'000);
  CHECK(read_deadline("2027-01-31T08:00:00+01:00")->of_begin(1000) == 1'801'378'800'000);
  CHECK(Deadline{}.of_begin(1000) == 0);
  for (const auto* text : {"90s", "250ms", "7d", "2027-01-31T08:00:00.000Z"}) CHECK(to_string(read_deadline(text).value()) == text);
  CHECK(to_string(Deadline{}).empty());
}

TEST_CASE("what is no deadline is refused with what one is") {
  for (const auto* text :
       {"", "soon", "0s", "-2h", "2h3", "4000d", "2027-01-31", "2027-01-31T08:00", "2027-02-30T08:00:00Z", "1969-01-01T00:00:00Z"}) {
    CAPTURE(text);
    const auto read = read_deadline(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::field_value);
    CHECK(read.error().message.ends_with("and not \"" + std::string{text} + "\""));
  }
}

}  // namespace
}  // namespace catena
