// JSON values as text on one line.
#include "base/json.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace catena::test {
namespace {

std::string of_library(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

TEST_CASE("a value is dumped as the library dumps it, whatever is in its strings") {
  const Json values = {nullptr,
                       true,
                       false,
                       0,
                       -1,
                       std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::uint64_t>::max(),
                       0.1,
                       1e300,
                       -0.0,
                       std::numeric_limits<double>::infinity(),
                       "",
                       "plain text ~",
                       "\"quoted\" and \\",
                       "\x7f and \x01 and \n",
                       "ä € 😀",
                       "no UTF-8: \xff\xc3",
                       std::string("zero \0 within", 13),
                       Json::array(),
                       Json::object(),
                       {1, {2, {3, {}}}},
                       {{"a", 1}, {"\"", {{"ä", "\xff"}, {"b", Json::array({nullptr, "x"})}}}},
                       Json::binary({1, 2})};
  for (const auto& value : values) CHECK(dump_lossy(value) == of_library(value));
  CHECK(dump_lossy(values) == of_library(values));
  CHECK(dump_lossy(Json(Json::value_t::discarded)) == of_library(Json(Json::value_t::discarded)));
}

TEST_CASE("each byte of a string is dumped as the library dumps it") {
  for (int byte = 0; byte < 256; ++byte) {
    const Json text(std::string{"a"} + static_cast<char>(byte) + "b");
    INFO(byte);
    CHECK(dump_lossy(text) == of_library(text));
  }
}

}  // namespace catena::test
