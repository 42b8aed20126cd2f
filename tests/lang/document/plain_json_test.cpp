#include "lang/document/plain_json.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "lang/document/json_sax.hpp"
#include "lang/document/json_text.hpp"
#include "tests/lang/repeated.hpp"

namespace catena::lang::test {

TEST_CASE("compact ASCII without escapes, exponents or many levels is plain") {
  for (const auto* plain : {"null", "true", "false", "0", "-0", "7", "-12.50", "12345678901234567", "0.1234567890123456", "\"\"", "\"a b\"", "[]",
                            "{}", R"({"value":1})", R"({"a":{"a":[1,2,{"a":null}]},"b":"x"})", R"([[],{},[{}]])", R"({"a":1,"b":{"a":1}})"}) {
    INFO(plain);
    CHECK(is_plain_json(plain));
    CHECK(!read_json(plain, nullptr));
    CHECK(parse_json_text(plain)->text == plain);
  }
}

TEST_CASE("a text that is kept is what it would be read as, and refused where it would be") {
  for (const std::string text : {"null", R"({"a":[1,2]})", R"({"a": [1, 2]})", " 1e3 ", "\"\\u0041\"", "{", "", R"({"a":1,"a":2})",
                                 "\"a long text, of more than fits in place\""}) {
    INFO(text);
    const auto kept = keep_json_text(text);
    const auto read = parse_json_text(text);
    REQUIRE(kept.has_value() == read.has_value());
    if (kept) {
      CHECK(kept->text == read->text);
    } else {
      CHECK(kept.error().message == read.error().message);
    }
  }
}

TEST_CASE("what is no JSON, and what the reader of all JSON has to look at, is not plain") {
  for (const auto* other : {"",
                            " ",
                            "[1, 2]",
                            " 1",
                            "1 ",
                            "1e5",
                            "1E5",
                            "01",
                            "-01",
                            "-",
                            "1.",
                            ".5",
                            "+1",
                            "nul",
                            "nulls",
                            "truefalse",
                            "12x",
                            "\"a",
                            "\"a\\n\"",
                            "\"\\u0041\"",
                            "\"\xc3\xa9\"",
                            "\"\x01\"",
                            "[1,]",
                            "[,1]",
                            "[1",
                            "[1]]",
                            "{\"a\":1,}",
                            "{a:1}",
                            "{\"a\"}",
                            "{\"a\":}",
                            "{,}",
                            "{\"a\":1",
                            "{\"a\":1}}",
                            R"({"a":1,"a":2})",
                            R"({"a":{"b":1,"b":1}})",
                            "123456789012345678",
                            "1.23456789012345678"}) {
    INFO(other);
    CHECK_FALSE(is_plain_json(other));
  }
  CHECK_FALSE(is_plain_json(std::string_view{"1\0", 2}));
  CHECK_FALSE(is_plain_json(std::string_view{"\"a\0\"", 4}));
}

TEST_CASE("levels and keys of objects that are open are bounded") {
  CHECK(is_plain_json(repeat("[", 32) + repeat("]", 32)));
  CHECK_FALSE(is_plain_json(repeat("[", 33) + repeat("]", 33)));
  CHECK_FALSE(is_plain_json(repeat("[", 100'000)));
  const auto object = [](int keys) {
    std::string text = "{";
    for (int key = 0; key < keys; ++key) text += (key > 0 ? ",\"" : "\"") + std::to_string(key) + "\":0";
    return text + "}";
  };
  CHECK(is_plain_json(object(32)));
  CHECK_FALSE(is_plain_json(object(33)));
  CHECK(is_plain_json("[" + object(32) + "," + object(32) + "]"));
}

TEST_CASE("no text is plain that the reader of all JSON would refuse or change") {
  // every text of up to six signs out of those that matter
  constexpr std::string_view kSigns = "{}[],:\"0-.a ";
  std::uint64_t plain = 0;
  for (std::size_t length = 1; length <= 6; ++length) {
    std::uint64_t count = 1;
    for (std::size_t at = 0; at < length; ++at) count *= kSigns.size();
    for (std::uint64_t number = 0; number < count; ++number) {
      std::string text;
      for (auto left = number; text.size() < length; left /= kSigns.size()) text += kSigns[left % kSigns.size()];
      if (!is_plain_json(text)) continue;
      ++plain;
      if (read_json(text, nullptr)) FAIL(text);
      if (text.find(' ') != std::string::npos && text.find('"') == std::string::npos) FAIL(text);
    }
  }
  CHECK(plain > 500);
}

}  // namespace catena::lang::test
