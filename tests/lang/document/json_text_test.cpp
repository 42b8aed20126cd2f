#include <catch2/catch.hpp>

#include "base/limits.hpp"
#include "lang/document/json_text.hpp"
#include "tests/lang/repeated.hpp"

namespace catena::lang::test {
namespace {

std::string text_of(std::string_view json) {
  const auto text = parse_json_text(json);
  REQUIRE(text);
  return text->text;
}

Code code_of(std::string_view json) {
  const auto text = parse_json_text(json);
  REQUIRE_FALSE(text);
  return text.error().code;
}

}  // namespace

TEST_CASE("text becomes compact and keeps the spelling of numbers and escapes") {
  CHECK(text_of(" { \"a b\" : [ 1.50 , 1E5, -0, \"\\u00e9 \\\" x\" ] ,\n\t\"c\":{ } , \"d\" : [ ] } ") ==
        R"({"a b":[1.50,1E5,-0,"\u00e9 \" x"],"c":{},"d":[]})");
  CHECK(text_of(" null ") == "null");
  CHECK(text_of("\"a, b: [c]\"") == "\"a, b: [c]\"");
  CHECK(text_of("\xEF\xBB\xBF 1") == "1");
}

TEST_CASE("text that is not JSON is refused with the place") {
  for (const auto* bad : {"",    " ",          "{", "[1,]", "{\"a\":1,}", "[1 2]",   "01",          "tru",    "'a'",    "{a:1}", "[1]x",
                          "NaN", "[Infinity]", "-", "1.",   "\"a",        "\"\\x\"", "\"\\ud800\"", "\"\n\"", "/*c*/1", "[1]]"}) {
    INFO(bad);
    CHECK(code_of(bad) == Code::json_syntax);
  }
  const auto text = parse_json_text("{\n  \"a\": }");
  REQUIRE_FALSE(text);
  CHECK_THAT(text.error().message, Catch::Contains("line 2, column 8"));
}

TEST_CASE("a NUL byte does not hide what follows it") {
  CHECK(code_of(std::string_view{"{}\0garbage", 10}) == Code::json_syntax);
  CHECK(code_of(std::string_view{"\"a\0b\"", 5}) == Code::json_syntax);
}

TEST_CASE("text that is not UTF-8 is refused") {
  for (const auto* bad : {"\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\xff\xfe{"})
    CHECK(code_of(bad) == Code::not_utf8);
  CHECK(text_of("\"\xe2\x82\xac \xf0\x9f\x98\x80\"") == "\"\xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST_CASE("integers fit in 64 bits and floats are finite") {
  CHECK(text_of("[18446744073709551615,-9223372036854775808]") == "[18446744073709551615,-9223372036854775808]");
  CHECK(code_of("18446744073709551616") == Code::number_out_of_range);
  CHECK(code_of("-9223372036854775809") == Code::number_out_of_range);
  CHECK(code_of("{\"a\": 1e999}") == Code::number_out_of_range);
  CHECK(text_of("1e-999") == "1e-999");
}

TEST_CASE("duplicate keys are refused at any depth and after escapes are read") {
  CHECK(code_of(R"({"a":1,"a":2})") == Code::duplicate_key);
  CHECK(code_of(R"([{"x":{"b":1,"\u0062":2}}])") == Code::duplicate_key);
  CHECK(text_of(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})") == R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})");
}

TEST_CASE("nesting is bounded and hostile depth does not crash") {
  const auto deepest = static_cast<std::size_t>(limits::kNestingMax);
  CHECK(text_of(repeat("[", deepest) + repeat("]", deepest)).size() == 2 * deepest);
  CHECK(code_of(repeat("[", deepest + 1) + repeat("]", deepest + 1)) == Code::nesting_too_deep);
  CHECK(code_of(repeat("[", 1'000'000)) == Code::nesting_too_deep);
  CHECK(code_of(repeat("{\"a\":", 1'000'000)) == Code::nesting_too_deep);
}

TEST_CASE("a view walks without parsing, white space or not") {
  const JsonView view{" { \"a\" : [ 1 , \"x,]\" , { \"b\" : null } ] , \"k\\u0065y\" : true } "};
  CHECK(view.kind() == JsonKind::object);
  CHECK(view.size() == 2);
  REQUIRE(view.find("a"));
  CHECK(view.find("a")->kind() == JsonKind::list);
  CHECK(view.find("a")->size() == 3);
  CHECK(view.find("a")->at(1)->string() == "x,]");
  CHECK(view.find("a")->at(2)->find("b")->is_null());
  CHECK_FALSE(view.find("a")->at(3));
  CHECK(view.find("key")->text() == "true");
  CHECK_FALSE(view.find("b"));
  CHECK(JsonView{" null "}.is_null());
  CHECK(JsonView{"[]"}.size() == 0);
  CHECK(JsonView{"{}"}.size() == 0);
  CHECK_FALSE(JsonView{"[]"}.at(0));
  CHECK(view.parse() == Json::parse(R"({"a":[1,"x,]",{"b":null}],"key":true})"));
}

TEST_CASE("the size of a string is its code points, escapes decoded") {
  CHECK(JsonView{"\"\xc3\xa9\\u20ac\\ud83d\\ude00\\n\""}.size() == 4);
  CHECK(JsonView{"\"a\\\"b\""}.string() == "a\"b");
  CHECK(JsonView{"12"}.string().empty());
}

TEST_CASE("visits end when the visitor says so") {
  int seen = 0;
  JsonView{"[1,2,3]"}.for_each_element([&](JsonView) { return ++seen < 2; });
  CHECK(seen == 2);
  std::string keys;
  JsonView{R"({"a":1,"b":{"c":2},"d":3})"}.for_each_member([&](std::string_view key, JsonView) {
    keys += key;
    return key != "b";
  });
  CHECK(keys == "ab");
}

TEST_CASE("a view survives any depth and text that is cut off") {
  const auto deep = repeat("[", 1'000'000) + repeat("]", 1'000'000);
  CHECK(JsonView{deep}.size() == 1);
  CHECK(JsonView{deep}.at(0)->text().size() == deep.size() - 2);
  for (const auto* cut : {"", "{", "[", "{\"a", "{\"a\"", "{\"a\":", "[1,", "\"", "\"\\", "[[[", "{\"a\":\"\\"}) {
    const JsonView view{cut};
    static_cast<void>(view.kind());
    static_cast<void>(view.size());
    static_cast<void>(view.find("a"));
    static_cast<void>(view.at(5));
    CHECK(view.parse().is_null());
  }
}

}  // namespace catena::lang::test
