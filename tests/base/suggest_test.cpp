#include "base/suggest.hpp"

#include <catch2/catch.hpp>

#include "base/random.hpp"

namespace catena {

TEST_CASE("an edit is an insertion, a deletion, a replacement or a swap of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("abc", "abxc") == 1);
  CHECK(edit_distance("abc", "ac") == 1);
  CHECK(edit_distance("abc", "axc") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the distance is the same both ways and no more than the longer name") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto word = [](std::uint64_t from) {
      std::string made;
      for (auto length = mix(from) % 8; length > 0; --length) made += static_cast<char>('a' + mix(from + length) % 3);
      return made;
    };
    const auto a = word(seed), b = word(seed + 9999);
    REQUIRE(edit_distance(a, b) == edit_distance(b, a));
    REQUIRE(edit_distance(a, b) <= std::max(a.size(), b.size()));
    REQUIRE((edit_distance(a, b) == 0) == (a == b));
  }
}

TEST_CASE("a slip finds the nearest known name; something else finds nothing") {
  const std::vector<std::string> known{"arguments", "conditions", "dependencies", "retry"};
  CHECK(nearest("argumnets", known) == "arguments");
  CHECK(nearest("condition", known) == "conditions");
  CHECK(nearest("rety", known) == "retry");
  CHECK_FALSE(nearest("timeout", known));
  CHECK_FALSE(nearest("", known));
  CHECK_FALSE(nearest("retry", {}));
  CHECK_FALSE(nearest(std::string(1000, 'x'), known));
  CHECK(did_you_mean("retyr", known) == "; did you mean 'retry'?");
  CHECK(did_you_mean("nothing like it", known) == "");
}

TEST_CASE("names that have nothing, or only what a program made, in common are not suggested") {
  CHECK_FALSE(nearest("x", std::vector<std::string>{"a", "b"}));
  CHECK(nearest("aa", std::vector<std::string>{"a"}) == "a");
  CHECK_FALSE(nearest("greeting-20261123-7f3a9c", std::vector<std::string>{"greeting-20261122-1b2d4e"}));
}

TEST_CASE("the first of equally near names is taken") {
  const std::vector<std::string> known{"cat", "car"};
  CHECK(nearest("cap", known) == "cat");
}

}  // namespace catena
