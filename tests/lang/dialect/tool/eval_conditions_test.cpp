// The cases of tests/lang/conditions/*.txt. A line is a case: `conditions => true|false`, ` ~ part of the warning` behind it when there is
// one, or `conditions !> code column message`. `context JSON` sets the context of the lines below it; `#` begins a comment.
#include <catch2/catch.hpp>

#include "lang/dialect/tool/eval_conditions.hpp"
#include "tests/lang/case_lines.hpp"

namespace catena::lang::test {
namespace {

void check_error(const std::string& document, std::size_t offset, const std::string& expected) {
  const auto verdict = eval_conditions(document);
  REQUIRE_FALSE(verdict);
  REQUIRE(verdict.error().size() == 1);
  const auto& error = verdict.error().front();
  // columns count from the conditions' own first character
  CHECK(std::string{name(error.code)} + " " + std::to_string(error.where.column - offset) + " " + error.message == expected);
}

void check_answer(const std::string& document, const std::string& expected) {
  const auto verdict = eval_conditions(document);
  if (!verdict) FAIL(render(verdict.error().front()));
  const auto tilde = expected.find(" ~ ");
  CHECK((verdict->holds ? "true" : "false") == expected.substr(0, tilde));
  REQUIRE(verdict->warnings.size() == (tilde == std::string::npos ? 0 : 1));
  if (tilde != std::string::npos) CHECK_THAT(verdict->warnings.front(), Catch::Contains(expected.substr(tilde + 3)));
}

}  // namespace

TEST_CASE("conditions mean what the golden cases say", "[conditions]") {
  const auto tally = run_case_folder("conditions", [](const CaseLine& line) {
    const auto before = R"({"context": )" + line.context + R"(, "conditions": )";
    const auto document = before + line.subject + "}";
    if (line.answers) {
      check_answer(document, line.expected);
    } else {
      check_error(document, before.size(), line.expected);
    }
  });
  CHECK(tally.answers >= 100);
  CHECK(tally.errors >= 15);
}

TEST_CASE("a document of conditions that is none is refused with what it should be", "[conditions]") {
  const auto codes = [](std::string_view document) {
    std::vector<std::string> found;
    const auto verdict = eval_conditions(document);
    if (!verdict) {
      for (const auto& error : verdict.error()) found.push_back(std::string{name(error.code)} + " " + to_string(error.where));
    }
    return found;
  };
  using Codes = std::vector<std::string>;
  CHECK(codes("{") == Codes{"json_syntax conditions:1:2"});
  CHECK(codes("[]") == Codes{"field_type conditions:1:1"});
  CHECK(codes("{}") == Codes{"field_missing conditions:1:1"});
  CHECK(codes(R"({"conditions": {}, "contxt": {}})") == Codes{"field_type conditions:1:16", "field_unknown conditions:1:20"});
  CHECK(codes(R"({"conditions": [], "context": []})") == Codes{"field_type conditions:1:31"});
  CHECK(codes(R"({"conditions": [], "context": {"arguments": 1, "a": "text", "b": true}})") ==
        Codes{"field_type conditions:1:45", "field_type conditions:1:53", "field_type conditions:1:66"});
  CHECK(codes(R"({"conditions": []})").empty());
}

TEST_CASE("all that is wrong with conditions is told at once", "[conditions]") {
  const auto verdict = eval_conditions(R"({"conditions": [{"param": "REF:a", "operator": "exists"}, {"param": 1, "operator": "is", "value": 1}]})");
  REQUIRE_FALSE(verdict);
  CHECK(verdict.error().size() == 2);
}

}  // namespace catena::lang::test
