#include "base/yaml_flow.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace catena {
namespace {

/// The largest depth that is found: the least bound that nothing goes beyond.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0;
  while (find_deep_flow(text, depth)) ++depth;
  return depth;
}

std::string times(std::string_view piece, std::size_t count) {
  std::string text;
  for (; count > 0; --count) text += piece;
  return text;
}

}  // namespace

TEST_CASE("brackets of a flow are counted, whatever stands before it") {
  CHECK(depth_of("a: 1\nb: two\n") == 0);
  CHECK(depth_of("[1, [2, 3], {a: {b: c}}]") == 3);
  CHECK(depth_of("a: [1]\nb: [2]\nc: [[3]]\n") == 2);
  CHECK(depth_of("- - - {a: [") == 2);
  CHECK(depth_of("key: !tag &anchor [[\n# comment\n[") == 3);
  CHECK(depth_of("--- [[]]\n--- [[[") == 3);
}

TEST_CASE("the place is that of the bracket that goes too deep") {
  CHECK(find_deep_flow("a: [[[[", 3) == 6);
  CHECK(find_deep_flow("a: [[[[", 4) == std::nullopt);
}

TEST_CASE("brackets in quotes and comments of a flow are text, and closing ones there close nothing") {
  CHECK(depth_of("[[[[ \"[[\", '[[', 1 # [[\n, 2]]]]") == 4);
  CHECK(depth_of(times("[ \"]\", ", 5)) == 5);
  CHECK(depth_of(times("[ ']', ", 5)) == 5);
  CHECK(depth_of(times("[ 'it''s ]', ", 5)) == 5);
  CHECK(depth_of(times("[ \"\\\"]\", ", 5)) == 5);
  CHECK(depth_of(times("[ # ]\n", 5)) == 5);
  CHECK(depth_of(times("{\"a\":\"}\", b: ", 5)) == 5);
  CHECK(depth_of(times("[ a # ]\n, ", 5)) == 5);
}

TEST_CASE("a quote within a plain text begins nothing, so that it hides nothing") {
  CHECK(depth_of("[it's " + times("[", 5)) == 6);
  CHECK(depth_of("[a\"b " + times("[", 5)) == 6);
  CHECK(depth_of("[a#b " + times("[", 5)) == 6);
  CHECK(depth_of("[a:\"b " + times("[", 5)) == 6);
}

TEST_CASE("tags and anchors hide nothing, neither brackets in them nor quotes behind them") {
  CHECK(depth_of(times("[ !t \"]\", ", 5)) >= 5);
  CHECK(depth_of(times("[ &a ']', ", 5)) >= 5);
  CHECK(depth_of(times("[ !<]> a, ", 5)) >= 5);
  CHECK(depth_of("[ !t\\ \" " + times("[", 5)) >= 6);
}

TEST_CASE("texts with brackets that nobody closes come nowhere near the bound") {
  std::string script = "run: |\n";
  for (int line = 0; line < 500; ++line) script += "  echo \"[see $x\" '[' it's \\033[31m [0, 10)\n";
  CHECK_FALSE(find_deep_flow(script, 10'000));
  std::string data = "data: |\n";
  for (int line = 0; line < 20'000; ++line) data += "  {\"names\": [\"it's\", \"[x\"], \"more\": {\"a\": [1, 2]}},\n";
  CHECK_FALSE(find_deep_flow(data, 10'000));
}

}  // namespace catena
