// How values look to a person: text.hpp, and what a console takes out.
#include "cli/show/text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/since.hpp"

namespace catena::cli::test {
namespace {

std::string pretty(const std::string& compact) {
  std::string out;
  pretty_json(compact, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace

TEST_CASE("pretty_json prints what dump(2) prints") {
  for (const std::string compact : {R"({})", R"([])", R"(1)", R"("")", R"(null)", R"([1,2.5,-7,true,false,null])",
                                    R"({"a":{"b":[{"c":[]},{}]},"d":[[1],[2]]})", R"({"a:b,c":"{[\"x\\\",:]}","ü":"\\"})", R"({"a":"","b":[""]})"}) {
    INFO(compact);
    const auto value = nlohmann::ordered_json::parse(compact);
    REQUIRE(value.dump() == compact);
    CHECK(pretty(compact) == value.dump(2));
  }
}

TEST_CASE("pretty_json indents deeper than its run of spaces is long") {
  const std::string deep = std::string(100, '[') + "1" + std::string(100, ']');
  CHECK(pretty(deep) == nlohmann::ordered_json::parse(deep).dump(2));
}

TEST_CASE("pretty_json ends on text that is cut off") {
  for (const std::string cut_off : {"\"abc", "\"abc\\", "{\"a\"", "[1,", "{"}) CHECK_NOTHROW(pretty(cut_off));
}

TEST_CASE("a span has the two units that matter") {
  CHECK(span_text(Millis{-5}) == "0.0s");
  CHECK(span_text(Millis{449}) == "0.4s");
  CHECK(span_text(Millis{9'999}) == "9.9s");
  CHECK(span_text(Millis{10'000}) == "10s");
  CHECK(span_text(Millis{59'999}) == "59s");
  CHECK(span_text(Millis{185'000}) == "3m 5s");
  CHECK(span_text(Millis{7'440'000}) == "2h 4m");
  CHECK(span_text(Millis{442'800'000}) == "5d 3h");
}

TEST_CASE("cut text has at most so many code points, the last an ellipsis") {
  CHECK(cut("größe", 5) == "größe");
  CHECK(cut("größe", 4) == "grö…");
  CHECK(cut("größe", 1) == "…");
  CHECK(cut("größe", 0).empty());
  CHECK(cut("", 0).empty());
}

TEST_CASE("a text that is wider than the terminal is broken between words, below where it began") {
  CHECK(wrapped("a long line", 0) == "a long line");
  CHECK(wrapped("short\n\nlines\n", 10) == "short\n\nlines\n");
  CHECK(wrapped("one two three four", 10) == "one two\nthree four\n");
  CHECK(wrapped("  --flag  what it means\n", 16) == "  --flag  what\n    it means\n");
  CHECK(wrapped("  -f  what it means, in words\n", 16) == "  -f  what it\n      means, in\n      words\n");
  CHECK(wrapped("abcdefghij", 4) == "abcd\nefgh\nij\n");
  CHECK(wrapped("日本語日本語", 5) == "日本\n語日\n本語\n");
}

TEST_CASE("a count has its noun") {
  CHECK(counted(0, "step") == "0 steps");
  CHECK(counted(1, "step") == "1 step");
  CHECK(counted(2, "step") == "2 steps");
}

TEST_CASE("printable text has no control characters, and all else as it was") {
  CHECK(printable("a\x1b[31m\n\tü\x7f") == "a\\x1b[31m\\x0a\\x09ü\\x7f");
}

TEST_CASE("an age has the one unit that matters") {
  CHECK(age_text(-5) == "just now");
  CHECK(age_text(999) == "just now");
  CHECK(age_text(59'999) == "59s ago");
  CHECK(age_text(185'000) == "3m ago");
  CHECK(age_text(7'440'000) == "2h ago");
  CHECK(age_text(442'800'000) == "5d ago");
}

TEST_CASE("a point in time for a filter is a span before now, or a date") {
  CHECK(parse_since("2h", 10'000'000).value() == 2'800'000);
  CHECK(parse_since("1970-01-02", 0).value() == 86'400'000);
  CHECK(parse_since("9000d", 5).value() == 1);
  CHECK(parse_since("yesterday", 0).error().message.find("2h, 3d") != std::string::npos);
}

}  // namespace catena::cli::test
