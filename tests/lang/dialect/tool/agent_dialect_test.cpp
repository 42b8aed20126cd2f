#include <catch2/catch.hpp>

#include "lang/dialect/shared/spelling.hpp"
#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

std::string messages_of(const std::string& document) {
  auto finder = standard_tools();
  finder.add("/case.agent", document);
  const auto package = load_package("/case.agent", finder, kCatalog);
  return package ? std::string{} : rendered(package.error());
}

Package agent_package(const std::string& document) { return valid_document("/case.agent", document); }

}  // namespace

TEST_CASE("an agent document lowers to the program that the tool document of the same meaning lowers to", "[agent]") {
  const auto agent =
      agent_package(R"({"argument_definitions": [{"name": "t", "type": "string"}], "response_definitions": [{"name": "u", "type": "any"}],
    "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/echo.tool", "arguments": {"text": "REF:arguments.t"}}],
    "response_reference_map": {"u": "REF:a.response.text"}})");
  const auto& program = agent.main();
  REQUIRE(program.steps.size() == 1);
  CHECK(program.arguments.fields.front().type == Type::string);
  CHECK(program.responses.fields.front().name == "u");
  CHECK(std::get<ToolCall>(program.steps.front().call).name == "echo");
}

TEST_CASE("a pinned package of agents and tools is lowered again", "[agent]") {
  const auto agent = agent_package(R"({"argument_definitions": [], "instructions": [
    {"execution_id": "a", "agent_definition_path": "/agents/writer.agent", "arguments": {"topic": "x"}},
    {"execution_id": "b", "agent_definition": {"arguments": [], "instructions": [
       {"execution_id": "c", "tool_definition_path": "/agents/writer.agent", "arguments": {"topic": "REF:d.draft"}},
       {"execution_id": "d", "tool_definition_path": "/agents/writer.agent", "arguments": {"topic": "y"}}]}}]})");
  const auto again = from_manifest(agent.manifest, kCatalog);
  REQUIRE(again);
  CHECK(again->hash == agent.hash);
  CHECK(again->programs.size() == 2);
}

TEST_CASE("the words of the other dialect are answered with the own ones", "[agent]") {
  CHECK_THAT(messages_of(R"({"argument_definitions": [], "instructions": [{"execution_id": "a", "tool_definition_path": "/tools/any.tool"}]})"),
             Contains("'tool_definition_path' is a word of the tool dialect") && Contains("write 'agent_definition_path'"));
  CHECK_THAT(messages_of(R"({"arguments": [{"name": "x", "type": "string"}], "system_event_endpoint": "builtin:echo"})"),
             Contains("'type' is a word of the agent dialect") && Contains("write 'type_name'"));
  CHECK(said_otherwise(kToolSpelling, "type_name").empty());
  CHECK(said_otherwise(kAgentSpelling, "type_name").empty());
  CHECK(said_otherwise(kAgentSpelling, "retry").empty());
}

TEST_CASE("messages call what is called by its kind", "[agent]") {
  CHECK_THAT(messages_of(R"({"arguments": [], "instructions": [{"execution_id": "a", "tool_definition_path": "/agents/writer.agent"}]})"),
             Contains("agent 'writer' needs the argument 'topic' (string)"));
  CHECK_THAT(messages_of(R"({"argument_definitions": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/echo.tool"}]})"),
             Contains("tool 'echo' needs the argument 'text' (string)"));
}

}  // namespace catena::lang::test
