// env and cwd of tools and of the steps that call them.
#include <catch2/catch.hpp>

#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

MemoryFinder process_tools() {
  auto finder = standard_tools();
  finder.add("/p.tool", R"({"system_event_endpoint": "exec:run.sh", "env": {"A": "1", "B": "b"}, "cwd": "submission"})");
  finder.add("/inner.tool", R"({"instructions": [{"execution_id": "in", "tool_definition_path": "/p.tool"}]})");
  return finder;
}

std::string calling_process(const std::string& tool, const std::string& fields) {
  return R"({"arguments": [{"name": "x", "type_name": "string"}], "instructions": [
    {"execution_id": "one", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "s", "tool_definition_path": ")" +
         tool + R"(", )" + fields + "}]}";
}

Step step_of(const std::string& fields) {
  auto finder = process_tools();
  finder.add("/case.tool", calling_process("/p.tool", fields));
  auto package = load_package("/case.tool", finder, kCatalog);
  if (!package) FAIL(rendered(package.error()));
  return package->main().steps.back();
}

std::string refusal_of(const std::string& document) {
  auto finder = process_tools();
  finder.add("/case.tool", document);
  const auto package = load_package("/case.tool", finder, kCatalog);
  if (package) FAIL("it was taken");
  INFO(rendered(package.error()));
  CHECK(package.error().size() == 1);
  return package.error().front().message;
}

Json constant(const EnvVariable& variable) { return std::get<Literal>(variable.value.node).value; }

}  // namespace

TEST_CASE("a step's variables count over its tool's, and so does its directory") {
  const auto step = step_of(R"("env": {"B": "mine", "C": 3}, "cwd": "work")");
  const auto& variables = step.surroundings.environment;
  REQUIRE(variables.size() == 3);
  CHECK((variables[0].name == "B" && constant(variables[0]) == "mine"));
  CHECK((variables[1].name == "C" && constant(variables[1]) == 3));
  CHECK((variables[2].name == "A" && constant(variables[2]) == "1"));
  CHECK(step.surroundings.directory == "work");
  CHECK(step_of(R"("name": "plain")").surroundings.directory == "submission");
  CHECK(step_of(R"("cwd": "/srv/data")").surroundings.directory == "/srv/data");
}

TEST_CASE("a step's variable may refer to what a step can see, and waits for it") {
  const auto step = step_of(R"("env": {"X": "REF:one.response", "Y": "REF:arguments.x"})");
  CHECK(std::get<AfterAll>(step.gate).deps == std::vector<StepIndex>{0});
}

TEST_CASE("SECRET:name is a secret of the worker, by its name") {
  const auto step = step_of(R"("env": {"KEY": "SECRET:api-key"})");
  CHECK(step.surroundings.environment[0].secret == "api-key");
  CHECK_THAT(refusal_of(calling_process("/p.tool", R"("env": {"KEY": "SECRET:no name"})")), Contains("'KEY'") && Contains("secret"));
}

TEST_CASE("what is no name of a variable, no value or no directory is refused with the reason") {
  CHECK_THAT(refusal_of(calling_process("/p.tool", R"("env": {"1A": "x"})")), Contains("'1A' is no name of a variable"));
  CHECK_THAT(refusal_of(calling_process("/p.tool", R"("env": {"CATENA_ATTEMPT": "x"})")), Contains("catena's own"));
  CHECK_THAT(refusal_of(calling_process("/p.tool", R"("cwd": "data")")), Contains("'work'") && Contains("'submission'"));
  CHECK_THAT(refusal_of(R"({"system_event_endpoint": "exec:run.sh", "env": {"A": "REF:arguments.x"}})"), Contains("cannot refer"));
  CHECK_THAT(refusal_of(R"({"system_event_endpoint": "exec:run.sh", "env": {"A": [1]}})"), Contains("a text, a number or a boolean, not a list"));
  CHECK_THAT(refusal_of(R"({"system_event_endpoint": "exec:run.sh", "env": ["A"]})"), Contains("env"));
}

TEST_CASE("env and cwd are refused where nothing is a process") {
  CHECK_THAT(refusal_of(R"({"system_event_endpoint": "builtin:echo", "cwd": "work"})"), Contains("tools that are processes"));
  CHECK_THAT(refusal_of(calling_process("/tools/any.tool", R"("env": {"A": "x"})")), Contains("tools that are processes"));
  CHECK_THAT(refusal_of(calling_process("/inner.tool", R"("env": {"A": "x"})")), Contains("tools that are processes"));
  CHECK_THAT(refusal_of(R"({"env": {"A": "x"}, "instructions": [{"execution_id": "in", "tool_definition_path": "/p.tool"}]})"),
             Contains("tools that are processes"));
}

TEST_CASE("steps of the other dialects may set constants and secrets") {
  auto finder = process_tools();
  finder.add("/case.yaml",
             "name: c\nimplementation:\n  type: composite\n  composite:\n    steps:\n      - tool: p\n        env: {A: two, K: 'SECRET:k'}\n        "
             "cwd: work\n");
  const auto package = load_package("/case.yaml", finder, kCatalog);
  INFO((package ? std::string{} : rendered(package.error())));
  CHECK(package);
}

}  // namespace catena::lang::test
