// Definitions that call each other without end are refused; a call that a run may leave out is none of that.
#include "lang/package/call_cycles.hpp"

#include <catch2/catch.hpp>

#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

std::string call_step(const std::string& id, const std::string& tool, const std::string& more = {}) {
  return R"({"execution_id": ")" + id + R"(", "tool_definition_path": ")" + tool + '"' + (more.empty() ? "" : ", " + more) + '}';
}

std::string calls_of(const std::string& instructions) { return R"({"additional_arguments": true, "instructions": [)" + instructions + "]}"; }

/// What is wrong with the definition /main.tool; empty: nothing.
std::vector<Error> wrong_with(const std::string& main, const std::map<std::string, std::string>& others = {}) {
  auto finder = standard_tools();
  finder.add("/main.tool", main);
  for (const auto& [path, text] : others) finder.add(path, text);
  auto package = load_package("/main.tool", finder, kCatalog);
  return package ? std::vector<Error>{} : package.error();
}

bool is_circle(const std::vector<Error>& errors) { return errors.size() == 1 && errors.front().code == Code::call_cycle; }

const std::string kSometimes = R"("conditions": [{"param": "REF:arguments.n", "operator": "equals", "value": 0}])";

}  // namespace

TEST_CASE("a definition that calls itself in every run is refused, at the call") {
  const auto errors = wrong_with(calls_of(call_step("first", "/tools/any.tool") + ",\n" + call_step("again", "/main.tool")));
  REQUIRE(is_circle(errors));
  CHECK_THAT(errors.front().message, Contains("'main' (step 'again') calls 'main'"));
  CHECK(errors.front().where.line == 2);
}

TEST_CASE("a circle through other definitions is named from end to end") {
  const auto errors = wrong_with(calls_of(call_step("there", "/other.tool")), {{"/other.tool", calls_of(call_step("back", "/main.tool"))}});
  REQUIRE(is_circle(errors));
  CHECK_THAT(errors.front().message, Contains("'main' (step 'there') calls 'other' (step 'back') calls 'main'"));
}

TEST_CASE("a circle that the root only may reach is one all the same") {
  CHECK(is_circle(wrong_with(calls_of(call_step("x", "/other.tool", kSometimes)), {{"/other.tool", calls_of(call_step("y", "/other.tool"))}})));
}

TEST_CASE("a call under a condition, or over a list that may be empty, may end") {
  CHECK(wrong_with(calls_of(call_step("again", "/main.tool", kSometimes))).empty());
  const auto over = [](const std::string& list) {
    return calls_of(call_step("again", "/main.tool", R"("parallel_execution": {"iterate_over": )" + list + R"(, "child_argument_name": "n"})"));
  };
  CHECK(wrong_with(over(R"("REF:arguments.list")")).empty());
  CHECK(wrong_with(over("[]")).empty());
  CHECK(is_circle(wrong_with(over("[1, 2]"))));
}

TEST_CASE("the same definition twice, without a circle, is fine") {
  CHECK(wrong_with(calls_of(call_step("a", "/tools/twice.tool", R"("arguments": {"text": "x"})") + "," +
                            call_step("b", "/tools/twice.tool", R"("arguments": {"text": "y"})")))
            .empty());
}

TEST_CASE("in a sequence a call counts that no run can get around") {
  const auto sequence = [](const std::string& steps) {
    return R"({"name": "main", "implementation": {"type": "composite", "composite": {"steps": [)" + steps + "]}}}";
  };
  CHECK(is_circle(wrong_with(sequence(R"({"tool": "any"}, {"name": "again", "tool": "main"})"))));
  CHECK(wrong_with(sequence(R"({"tool": "any", "on_success": {"next": "end"}}, {"name": "again", "tool": "main"})")).empty());
  CHECK(wrong_with(sequence(R"({"name": "again", "tool": "main", "when": "{{ n }}"})")).empty());
  CHECK(wrong_with(sequence(R"({"tool": "any", "on_failure": {"action": "continue", "next": "end"}}, {"name": "again", "tool": "main"})")).empty());
}

TEST_CASE("what was pinned before is read all the same: a chain of it can be ended") {
  auto finder = standard_tools();
  finder.add("/main.tool", calls_of(call_step("again", "/main.tool", kSometimes)));
  const auto package = valid_package(finder);
  auto manifest = Json::parse(package.manifest);
  manifest["definitions"]["/main.tool"] = calls_of(call_step("again", "/main.tool"));
  const auto read = from_manifest(manifest.dump(), kCatalog);
  REQUIRE(read);
  const auto checked = check_call_cycles(*read);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().code == Code::call_cycle);
}

}  // namespace catena::lang::test
