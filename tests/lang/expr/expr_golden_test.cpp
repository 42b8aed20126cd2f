// The cases of tests/lang/expr/*.txt. A line is a case: `expression => JSON`, or `expression !> code column`, where the column is the
// caret's. `context JSON` sets the variables of the lines below it; `#` begins a comment.
#include <catch2/catch.hpp>

#include <algorithm>

#include "lang/document/json_equal.hpp"
#include "lang/expr/eval_text.hpp"
#include "tests/lang/case_lines.hpp"
#include "tests/lang/memory_files.hpp"

namespace catena::lang::test {
namespace {

std::string outcome(const std::string& expression, const Json& context) {
  const auto value = expr::evaluate_text(expression, context, kNow);
  if (value) return "=> " + value->dump();
  const auto caret = std::ranges::find_if(
      value.error().notes, [](const std::string& note) { return note.find_first_not_of(' ') == note.size() - 1 && note.ends_with('^'); });
  const auto column = caret == value.error().notes.end() ? 0 : caret->size();
  return "!> " + std::string{name(value.error().code)} + " " + std::to_string(column);
}

}  // namespace

TEST_CASE("expressions mean what the golden cases say") {
  const auto tally = run_case_folder("expr", [](const CaseLine& line) {
    const auto expected = line.answers ? "=> " + Json::parse(line.expected).dump() : "!> " + line.expected;
    CHECK(outcome(line.subject, Json::parse(line.context)) == expected);
  });
  CHECK(tally.answers >= 200);
  CHECK(tally.errors >= 100);
}

TEST_CASE("an error shows the expression and a caret, and inside a string both places") {
  const auto plain = expr::evaluate_text("1 + \"ä\" * x", Json{{"x", 2}}, kNow);
  REQUIRE_FALSE(plain);
  CHECK(plain.error().notes == std::vector<std::string>{"1 + \"ä\" * x", "        ^"});
  const auto nested = expr::evaluate_text("map(xs, 'item.nane')", Json::parse(R"({"xs":[{"name":1}]})"), kNow);
  REQUIRE_FALSE(nested);
  CHECK(nested.error().message == "'item.nane' finds nothing: there is no 'nane'; did you mean 'name'?; the object has: name");
  CHECK(nested.error().notes == std::vector<std::string>{"item.nane", "     ^", "which is text inside of:", "map(xs, 'item.nane')", "        ^"});
}

TEST_CASE("a long expression that finds nothing is shown without cutting a character in two") {
  for (const std::string shift : {"", "x"}) {
    auto member = shift;
    for (int n = 0; n < 200; ++n) member += "é";
    const auto missing = expr::evaluate_text("x['" + member + "']", Json{{"x", Json::object()}}, kNow);
    REQUIRE_FALSE(missing);
    CHECK_NOTHROW(Json(missing.error().message).dump());
  }
}

TEST_CASE("unknown names suggest the nearest one") {
  const auto function = expr::evaluate_text("jion([1])", Json::object(), kNow);
  CHECK(function.error().message.find("did you mean 'join'?") != std::string::npos);
  const auto variable = expr::evaluate_text("usres", Json{{"users", 1}}, kNow);
  CHECK(variable.error().message.find("did you mean 'users'?") != std::string::npos);
  const auto keyword = expr::evaluate_text("sort([1], directoin='asc')", Json::object(), kNow);
  CHECK(keyword.error().message.find("did you mean 'direction'?") != std::string::npos);
}

}  // namespace catena::lang::test
