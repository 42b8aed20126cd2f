#include "lang/program/reference.hpp"

#include <catch2/catch.hpp>

namespace catena::lang {

TEST_CASE("only a string that begins with REF: is a reference") {
  CHECK(is_reference("REF:a.b"));
  CHECK(is_reference("REF:"));
  CHECK_FALSE(is_reference("see REF:a.b"));
  CHECK_FALSE(is_reference("ref:a.b"));
  CHECK_FALSE(is_reference("\\REF:a.b"));
  CHECK_FALSE(is_reference(""));
}

TEST_CASE("a backslash before REF: makes it text, and nothing else is unescaped") {
  CHECK(literal_text("\\REF:a.b") == "REF:a.b");
  CHECK(literal_text("\\\\REF:a.b") == "\\\\REF:a.b");
  CHECK(literal_text("\\n") == "\\n");
  CHECK(literal_text("see REF:a.b") == "see REF:a.b");
}

TEST_CASE("a reference is a context and at least one segment") {
  const auto simple = parse_reference("REF:step_1.response", {});
  REQUIRE(simple);
  CHECK(simple->context == "step_1");
  CHECK(simple->segments == std::vector<std::string>{"response"});

  const auto deep = parse_reference("REF:a-b.response.items.0.größe", {});
  REQUIRE(deep);
  CHECK(deep->context == "a-b");
  CHECK(deep->segments == std::vector<std::string>{"response", "items", "0", "größe"});
}

TEST_CASE("segments may have any character but dots, brackets, white space and controls") {
  CHECK(is_segment("a$b@c/d:e"));
  CHECK(is_segment("0"));
  CHECK_FALSE(is_segment(""));
  CHECK_FALSE(is_segment("a b"));
  CHECK_FALSE(is_segment("a.b"));
  CHECK_FALSE(is_segment("a[0]"));
  CHECK_FALSE(is_segment("a\x01"));
  CHECK_FALSE(is_segment("a\x7f"));
}

TEST_CASE("what is not a reference is refused with what to write") {
  const auto message = [](std::string_view text) {
    const auto parsed = parse_reference(text, Place{"f", 3, 4});
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == Code::reference_syntax);
    CHECK(parsed.error().where == Place{"f", 3, 4});
    return parsed.error().message;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message("REF:fetch"), Contains("REF:fetch.response"));
  CHECK_THAT(message("REF:arguments"), Contains("REF:arguments.<name>"));
  CHECK_THAT(message("REF:"), Contains("REF:arguments.<name>"));
  CHECK_THAT(message("REF:a.list[0]"), Contains("'.0' instead of '[0]'"));
  CHECK_THAT(message("REF:a.b and text"), Contains("stands alone"));
  CHECK_THAT(message("REF:a..b"), Contains("two dots"));
  CHECK_THAT(message("REF:a."), Contains("dot at the end"));
  CHECK_THAT(message("REF:a b.c"), Contains("letters, digits"));
}

}  // namespace catena::lang
