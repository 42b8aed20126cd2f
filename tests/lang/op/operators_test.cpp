#include <catch2/catch.hpp>

#include <cmath>

#include "lang/document/json_equal.hpp"
#include "lang/op/operators.hpp"

namespace catena::lang::test {
namespace {

struct Answer {
  bool holds;
  bool warned;
  friend bool operator==(const Answer&, const Answer&) = default;
};
std::ostream& operator<<(std::ostream& out, const Answer& answer) { return out << answer.holds << (answer.warned ? " with a warning" : ""); }

constexpr Answer kYes{true, false};
constexpr Answer kNo{false, false};
constexpr Answer kUnfit{false, true};

Answer apply(std::string_view op, const char* param, const char* value) {
  const auto* row = find_operator(op);
  REQUIRE(row != nullptr);
  std::string warning;
  const bool holds = row->apply(Json::parse(param), Json::parse(value), warning);
  return {holds, !warning.empty()};
}

}  // namespace

TEST_CASE("the table has the operators of the language and nothing else") {
  const std::vector<std::string> expected{
      "equals",       "not_equals", "exists", "not_exists",  "greater_than", "less_than", "greater_than_or_equal", "less_than_or_equal", "contains",
      "not_contains", "in",         "not_in", "starts_with", "ends_with",    "matches"};
  CHECK(operator_names() == expected);
  CHECK(operators().size() == expected.size());
  CHECK(find_operator("equal") == nullptr);
  for (const auto& row : operators()) {
    CHECK_FALSE(row.doc.empty());
    CHECK(row.needs_value == (row.name != "exists" && row.name != "not_exists"));
  }
}

TEST_CASE("equality is JSON equality with 1 == 1.0 and true never equal to 1") {
  CHECK(apply("equals", "1", "1.0") == kYes);
  CHECK(apply("equals", "true", "1") == kNo);
  CHECK(apply("equals", "false", "0") == kNo);
  CHECK(apply("equals", "null", "null") == kYes);
  CHECK(apply("equals", "\"1\"", "1") == kNo);
  CHECK(apply("equals", R"([1,{"a":[2.0,true]}])", R"([1.0,{"a":[2,true]}])") == kYes);
  CHECK(apply("equals", R"([true])", R"([1])") == kNo);
  CHECK(apply("equals", R"({"a":1})", R"({"a":1,"b":null})") == kNo);
  CHECK(apply("equals", R"({"a":1,"b":2})", R"({"b":2.0,"a":1})") == kYes);
  CHECK(apply("not_equals", R"({"a":true})", R"({"a":1})") == kYes);
  CHECK(apply("not_equals", "1", "1.0") == kNo);
}

TEST_CASE("large numbers are compared without rounding") {
  CHECK(apply("equals", "9007199254740993", "9007199254740992.0") == kNo);
  CHECK(apply("greater_than", "9007199254740993", "9007199254740992.0") == kYes);
  CHECK(apply("less_than", "9007199254740992.0", "9007199254740993") == kYes);
  CHECK(apply("equals", "18446744073709551615", "-1") == kNo);
  CHECK(apply("greater_than", "18446744073709551615", "-1") == kYes);
  CHECK(apply("less_than", "18446744073709551615", "18446744073709551616.0") == kYes);
  CHECK(apply("greater_than", "-9223372036854775808", "-1e300") == kYes);
  CHECK(apply("equals", "-9223372036854775808", "-9223372036854775808.0") == kYes);
  CHECK(apply("greater_than", "-1", "-1.5") == kYes);
  CHECK(apply("less_than", "1", "1.5") == kYes);
  CHECK(apply("equals", "0", "-0.0") == kYes);
  CHECK(compare_numbers(Json(1), Json(std::nan(""))) == std::partial_ordering::unordered);
}

TEST_CASE("exists is not null") {
  CHECK(apply("exists", "null", "null") == kNo);
  CHECK(apply("exists", "false", "null") == kYes);
  CHECK(apply("not_exists", "null", "null") == kYes);
  CHECK(apply("not_exists", "0", "null") == kNo);
}

TEST_CASE("order needs two numbers or two strings") {
  CHECK(apply("greater_than", "2", "1.5") == kYes);
  CHECK(apply("greater_than", "\"b\"", "\"a\"") == kYes);
  CHECK(apply("less_than", "1", "1") == kNo);
  CHECK(apply("less_than_or_equal", "1", "1.0") == kYes);
  CHECK(apply("greater_than_or_equal", "\"a\"", "\"a\"") == kYes);
  CHECK(apply("greater_than_or_equal", "\"a\"", "\"b\"") == kNo);
  for (const auto* op : {"greater_than", "less_than", "greater_than_or_equal", "less_than_or_equal"}) {
    CHECK(apply(op, "1", "\"1\"") == kUnfit);
    CHECK(apply(op, "null", "1") == kUnfit);
    CHECK(apply(op, "true", "false") == kUnfit);
    CHECK(apply(op, "[1]", "[0]") == kUnfit);
  }
}

TEST_CASE("contains looks for a substring, a member or a key") {
  CHECK(apply("contains", "\"abc\"", "\"bc\"") == kYes);
  CHECK(apply("contains", "\"abc\"", "\"\"") == kYes);
  CHECK(apply("contains", "[1,[2]]", "[2.0]") == kYes);
  CHECK(apply("contains", "[1]", "true") == kNo);
  CHECK(apply("contains", "{\"a\":null}", "\"a\"") == kYes);
  CHECK(apply("contains", "{\"a\":\"b\"}", "\"b\"") == kNo);
  CHECK(apply("contains", "\"abc\"", "1") == kUnfit);
  CHECK(apply("contains", "null", "\"a\"") == kUnfit);
  CHECK(apply("not_contains", "\"abc\"", "\"x\"") == kYes);
  CHECK(apply("not_contains", "null", "\"a\"") == kUnfit);
  CHECK(apply("in", "1.0", "[1,2]") == kYes);
  CHECK(apply("in", "\"b\"", "\"abc\"") == kYes);
  CHECK(apply("in", "1", "1") == kUnfit);
  CHECK(apply("not_in", "3", "[1,2]") == kYes);
  CHECK(apply("not_in", "3", "null") == kUnfit);
}

TEST_CASE("prefixes and suffixes need two strings") {
  CHECK(apply("starts_with", "\"abc\"", "\"ab\"") == kYes);
  CHECK(apply("starts_with", "\"abc\"", "\"b\"") == kNo);
  CHECK(apply("ends_with", "\"abc\"", "\"bc\"") == kYes);
  CHECK(apply("ends_with", "[1]", "\"bc\"") == kUnfit);
  CHECK(apply("starts_with", "\"1\"", "1") == kUnfit);
}

TEST_CASE("matches searches, and no pattern backtracks without end") {
  CHECK(apply("matches", "\"an error: 42\"", R"("error: \\d+$")") == kYes);
  CHECK(apply("matches", "\"abc\"", R"("^b")") == kNo);
  CHECK(apply("matches", "\"abc\"", R"x("(")x") == kUnfit);
  CHECK(apply("matches", "12", R"("1")") == kUnfit);
  std::string warning;
  std::string hostile(50'000, 'a');
  hostile.back() = '!';
  CHECK_FALSE(find_operator("matches")->apply(hostile, "^(a+)+$", warning));
  CHECK(warning.empty());
}

TEST_CASE("a pattern is checked before anything runs") {
  CHECK(check_pattern("^a+(b|c)$"));
  for (const auto* bad : {"(", "[a", "a**", "\\", "(?=a)", "a{2000}"}) {
    const auto checked = check_pattern(bad);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Code::pattern_invalid);
  }
}

TEST_CASE("warnings name the operator and what it got") {
  std::string warning;
  CHECK_FALSE(find_operator("greater_than")->apply(Json(1), Json("x"), warning));
  CHECK(warning == "'greater_than' needs two numbers or two strings, got number and string; the condition counts as false");
}

}  // namespace catena::lang::test
