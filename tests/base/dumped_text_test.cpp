#include "base/dumped_text.hpp"

#include <catch2/catch.hpp>

#include "base/json.hpp"

namespace catena::test {

TEST_CASE("a text is dumped as its JSON value is") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text{'a', static_cast<char>(byte), 'z'};
    std::string out = "before ";
    append_dumped(out, text);
    CHECK(out == "before " + dump_lossy(Json(text)));
  }
  for (const std::string text : {"", "plain", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xe2\x82"}) {
    std::string out;
    append_dumped(out, text);
    CHECK(out == dump_lossy(Json(text)));
  }
}

}  // namespace catena::test
