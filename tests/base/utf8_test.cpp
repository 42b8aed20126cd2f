#include "base/utf8.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace catena {
namespace {

TEST_CASE("a character of UTF-8 has one to four bytes, and one form") {
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length(std::string_view{"\0", 1}) == 1);
  CHECK(utf8_length("\xC3\xA4+") == 2);
  CHECK(utf8_length("\xE2\x82\xAC") == 3);
  CHECK(utf8_length("\xF0\x9F\x98\x80") == 4);
  CHECK(utf8_length("\xF4\x8F\xBF\xBF") == 4);
  for (const std::string malformed : {"", "\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3+", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
                                      "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    CHECK(utf8_length(malformed) == 0);
  }
}

}  // namespace
}  // namespace catena
