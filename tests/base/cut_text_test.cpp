#include "base/cut_text.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace catena {

TEST_CASE("a text that fits is left as it is") {
  CHECK(cut_text("", 0).empty());
  CHECK(cut_text("abc", 3) == "abc");
  CHECK(cut_text("é", 2) == "é");
}

TEST_CASE("a longer text is cut between two characters, at most that many bytes on") {
  CHECK(cut_text("abcd", 3) == "abc");
  CHECK(cut_text("aéb", 2) == "a");
  CHECK(cut_text("aéb", 3) == "aé");
  CHECK(cut_text("€€", 5) == "€");
  CHECK(cut_text("\xF0\x9F\x98\x80!", 3).empty());
  CHECK(cut_text("\xF0\x9F\x98\x80!", 4) == "\xF0\x9F\x98\x80");
}

TEST_CASE("bytes that are no text are cut as well") {
  const std::string continuations(10, '\x80');
  CHECK(cut_text(continuations, 4).size() <= 4);
}

}  // namespace catena
