#include <catch2/catch.hpp>

#include "lang/dialect/dialect.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/order.hpp"
#include "tests/lang/golden_files.hpp"
#include "tests/lang/memory_finder.hpp"
#include "tests/lang/program_lines.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

std::vector<Error> errors_of(const std::string& document) {
  auto finder = standard_tools();
  finder.add("/case.tool", document);
  auto package = load_package("/case.tool", finder, kCatalog);
  return package ? std::vector<Error>{} : package.error();
}

std::string message_of(const std::string& document) {
  const auto errors = errors_of(document);
  INFO(rendered(errors));
  REQUIRE(errors.size() == 1);
  return errors.front().message;
}

std::string step_with(const std::string& fields) {
  return R"({"arguments": [{"name": "text", "type_name": "string"}], "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool", )" +
         fields + "}]}";
}

}  // namespace

TEST_CASE("every valid definition lowers to its golden program", "[lowering]") {
  const auto cases = read_cases("valid");
  REQUIRE(cases.size() >= 40);
  for (const auto& golden : cases) {
    DYNAMIC_SECTION(golden.name) {
      auto finder = standard_tools();
      finder.add("/case.tool", golden.document);
      const auto package = load_package("/case.tool", finder, kCatalog);
      if (!package) FAIL(rendered(package.error()));
      CHECK(package_lines(*package) == golden.expected);
    }
  }
}

TEST_CASE("steps and expressions know where they were written", "[lowering]") {
  auto finder = standard_tools();
  finder.add("/case.tool",
             "{\"instructions\": [\n  {\"execution_id\": \"a\",\n   \"tool_definition_path\": \"/tools/any.tool\",\n   \"arguments\": "
             "{\"x\": [1]}}]}");
  const auto package = load_package("/case.tool", finder, kCatalog);
  REQUIRE(package);
  const auto& step = package->main().steps.front();
  CHECK(step.where == Place{"/case.tool", 2, 20});
  const auto& bind = std::get<ObjectExpr>(step.bind.node);
  CHECK(step.bind.where == Place{"/case.tool", 4, 17});
  CHECK(bind.members.front().second.where == Place{"/case.tool", 4, 23});
}

TEST_CASE("an unknown name is answered with the nearest known one", "[messages]") {
  CHECK_THAT(message_of(step_with(R"("argumens": {})")), Contains("'argumens'") && Contains("did you mean 'arguments'"));
  CHECK_THAT(message_of(step_with(R"("arguments": {"x": "REF:fecth.text"})")), Contains("step 'use'") && Contains("did you mean 'fetch'"));
  CHECK_THAT(message_of(step_with(R"("arguments": {"x": "REF:arguments.txt"})")), Contains("REF:arguments.txt") && Contains("did you mean 'text'"));
  CHECK_THAT(message_of(step_with(R"("dependencies": ["fetsh"])")), Contains("did you mean 'fetch'"));
  CHECK_THAT(message_of(step_with(R"("conditions": [{"param": 1, "operator": "equal", "value": 1}])")), Contains("did you mean 'equals'"));
  CHECK_THAT(message_of(step_with(R"("effect": "pur")")), Contains("did you mean 'pure'"));
  CHECK_THAT(message_of(R"({"system_event_endpoint": "builtin:ecko"})"), Contains("did you mean 'echo'"));
  CHECK_THAT(message_of(R"({"system_event_endpoint": "biultin:echo"})"), Contains("did you mean 'builtin'"));
  CHECK_THAT(message_of(R"({"instruction": []})"), Contains("did you mean 'instructions'"));
}

TEST_CASE("a wrong argument is reported with the step, the tool and the argument", "[messages]") {
  const auto call = [](const std::string& arguments) {
    return R"({"instructions": [{"execution_id": "say", "tool_definition_path": "/tools/echo.tool", "arguments": )" + arguments + "}]}";
  };
  CHECK_THAT(message_of(call(R"({"text": "x", "cuont": 2})")),
             Contains("step 'say'") && Contains("tool 'echo'") && Contains("'cuont'") && Contains("did you mean 'count'"));
  CHECK_THAT(message_of(call("{}")), Contains("step 'say'") && Contains("tool 'echo'") && Contains("'text' (string)"));
  CHECK_THAT(message_of(call(R"({"text": 5})")), Contains("'text'") && Contains("string") && Contains("5"));
  CHECK_THAT(message_of(call(R"({"text": "x", "mode": "warp"})")), Contains("[\"fast\",\"slow\"]") && Contains("warp"));
}

TEST_CASE("what is wrong in a transform is told with the expression and a caret", "[messages]") {
  const auto errors =
      errors_of(step_with(R"~("transform_arguments": {"variables": {"xs": []}, "transforms": {"y": "map(xs, 'REF:fetsh.n')", "z": "sum(xy)"}})~"));
  REQUIRE(errors.size() == 2);
  CHECK_THAT(errors[0].message, Contains("step 'use': transform_arguments: 'y'") && Contains("did you mean 'fetch'"));
  CHECK(errors[0].notes == std::vector<std::string>{"REF:fetsh.n", "^"});
  CHECK_THAT(errors[1].message, Contains("step 'use': transform_arguments: 'z'") && Contains("did you mean 'xs'"));
  CHECK(errors[1].notes == std::vector<std::string>{"sum(xy)", "    ^"});
}

TEST_CASE("names that a transform may not set or use are told with those that there are", "[messages]") {
  const auto call = [](const std::string& fields) {
    return R"({"arguments": [{"name": "doc", "type_name": "file"}], "instructions": [
      {"execution_id": "say", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}, )" +
           fields + "}]}";
  };
  CHECK_THAT(message_of(call(R"("transform_arguments": {"transforms": {"cuont": "1"}})")),
             Contains("tool 'echo'") && Contains("did you mean 'count'"));
  CHECK_THAT(message_of(call(R"("transform_responses": {"transforms": {"x": "REF:say.text"}})")), Contains("REF:response here"));
  CHECK_THAT(message_of(call(R"("conditions": [{"param": "REF:arguments.doc.sise", "operator": "exists"}])")),
             Contains("did you mean 'size'") && Contains("parent_directory"));
  CHECK_THAT(message_of(call(R"("conditions": [{"param": "REF:response", "operator": "exists"}])")), Contains("only inside transform_responses"));
}

TEST_CASE("a cycle is spelled out from its first step", "[messages]") {
  const auto message = message_of(R"({"instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "dependencies": ["c"]},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:a.y"}},
    {"execution_id": "c", "tool_definition_path": "/tools/any.tool", "conditions": [{"param": "REF:b.y", "operator": "exists"}]}]})");
  CHECK_THAT(message, Contains("a -> c -> b -> a"));
}

TEST_CASE("what this version lacks is refused by name", "[messages]") {
  CHECK_THAT(message_of(R"({"system_event_endpoint": "mcp:files/read"})"), Contains("'mcp:'") && Contains("not in this version"));
}

TEST_CASE("a document in no dialect, or in two, is told what was looked for", "[messages]") {
  const auto unknown = errors_of(R"({"description": "x"})");
  REQUIRE(unknown.size() == 1);
  CHECK(unknown.front().notes.size() == dialects().size());
  const auto ambiguous = errors_of(R"({"instructions": [], "implementation": {"type": "composite"}})");
  REQUIRE(ambiguous.size() == 1);
  REQUIRE(ambiguous.front().notes.size() == 2);
  CHECK_THAT(ambiguous.front().notes[0], Contains("tool"));
  CHECK_THAT(ambiguous.front().notes[1], Contains("composite"));
}

TEST_CASE("words of a command are split at white space, and quotes keep it", "[endpoint]") {
  using Words = std::vector<std::string>;
  CHECK(split_words("") == Words{});
  CHECK(split_words(" a \t b\n") == Words{"a", "b"});
  CHECK(split_words(R"('a b' "c 'd'" e"f g"h)") == Words{"a b", "c 'd'", "ef gh"});
  CHECK(split_words("'' \"\"") == Words{"", ""});
  CHECK(split_words(R"(a\ b $HOME *.txt ; rm)") == Words{"a\\", "b", "$HOME", "*.txt", ";", "rm"});
  CHECK_FALSE(split_words("a 'b"));
  CHECK_FALSE(split_words("\""));
}

TEST_CASE("cycles are found once each, in graphs of any depth", "[order]") {
  const auto graph = [](const std::vector<std::vector<StepIndex>>& deps) {
    std::vector<Step> steps(deps.size());
    for (std::size_t i = 0; i < deps.size(); ++i) steps[i].gate = AfterAll{deps[i]};
    return steps;
  };
  using Cycles = std::vector<std::vector<StepIndex>>;
  CHECK(cycles({}) == Cycles{});
  CHECK(cycles(graph({{}, {0}, {0, 1}, {1, 2}})) == Cycles{});
  CHECK(cycles(graph({{1}, {0}})) == Cycles{{0, 1}});
  CHECK(cycles(graph({{}, {3}, {1}, {0, 2}})) == Cycles{{1, 3, 2}});
  CHECK(cycles(graph({{1}, {0}, {3}, {2}, {0, 2}})) == Cycles{{0, 1}, {2, 3}});
  std::vector<std::vector<StepIndex>> chain(10'000);
  for (StepIndex i = 1; i < chain.size(); ++i) chain[i] = {i - 1};
  CHECK(cycles(graph(chain)) == Cycles{});
  chain.front() = {9'999};
  CHECK(cycles(graph(chain)).size() == 1);
}

}  // namespace catena::lang::test
