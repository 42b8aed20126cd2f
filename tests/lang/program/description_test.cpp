#include "lang/program/description.hpp"

#include <catch2/catch.hpp>

#include "lang/document/document.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

Endpoint served(std::string_view text) {
  auto endpoint = parse_endpoint(text, {});
  if (!endpoint) FAIL(endpoint.error().message);
  return std::move(*endpoint);
}

Json field_of(const std::string& name, const std::string& type) { return {{"name", name}, {"type_name", type}, {"required", true}}; }

Json taking(const Json& arguments, const Json& responses = Json::array()) { return {{"arguments", arguments}, {"responses", responses}}; }

std::string not_read(const Json& result) {
  const auto tools = read_served_tools(result);
  REQUIRE_FALSE(tools);
  CHECK(tools.error().code == Code::tool_output_invalid);
  return tools.error().message;
}

}  // namespace

TEST_CASE("a serve endpoint names one of the tools of its program behind a hash", "[endpoint]") {
  const auto script = served("serve:python3 tools.py#square");
  CHECK(served_tool(script) == "square");
  CHECK(command_arguments(script) == std::vector<std::string>{"tools.py"});
  CHECK(endpoint_text(script) == "serve:python3 tools.py#square");
  const auto alone = served("serve:'my tools'#square");
  CHECK(alone.target == "my tools");
  CHECK(served_tool(alone) == "square");
  CHECK(command_arguments(alone).empty());
  for (const auto* text : {"serve:run.sh", "serve:run.sh a#b.c", "serve:run.sh a#b last", "exec:run.sh a#b"}) {
    CHECK(served_tool(served(text)).empty());
    CHECK(command_arguments(served(text)) == served(text).args);
  }
}

TEST_CASE("an order carries what the chain has pinned of a served tool", "[endpoint]") {
  const auto endpoint = served("serve:python3 tools.py#square");
  Schema arguments;
  arguments.fields.push_back({"n", Type::integer, "a number", true, std::nullopt, {}});
  arguments.fields.push_back({"mode", Type::string, "", false, Json("fast"), {Json("fast"), Json("slow")}});
  auto ordered = endpoint;
  ordered.args = described_arguments(endpoint, arguments, Schema{});
  CHECK(served_tool(ordered) == "square");
  CHECK(command_arguments(ordered) == command_arguments(endpoint));
  CHECK(endpoint_text(ordered) == endpoint_text(endpoint));
  CHECK(pinned_description(ordered) ==
        taking({field_of("n", "integer"),
                {{"name", "mode"}, {"type_name", "string"}, {"required", false}, {"default_value", "fast"}, {"enum", {"fast", "slow"}}}}));
  CHECK(pinned_description(endpoint).is_null());
  CHECK(described_arguments(served("serve:run.sh a"), arguments, Schema{}) == std::vector<std::string>{"a"});
}

TEST_CASE("descriptions are compared by what they take and give, and the difference is told in words", "[endpoint]") {
  const auto pinned = taking(Json::array({field_of("n", "integer")}), Json::array({field_of("square", "integer")}));
  auto said = pinned;
  said["description"] = "other words";
  said["arguments"][0]["description"] = "other words";
  said["arguments"][0]["default_value"] = nullptr;
  CHECK(difference(pinned, said).empty());
  CHECK(difference(pinned, taking(Json::array({field_of("n", "string")}), Json::array({field_of("square", "integer")}))) ==
        R"(the type of the argument 'n' is "integer" in the definition and "string" in the program)");
  CHECK(difference(pinned, taking(Json::array({field_of("n", "integer"), field_of("m", "integer")}), Json::array())) ==
        "the program has the argument 'm', which the definition does not have; the program does not have the response 'square'");
  said["arguments"][0]["required"] = false;
  CHECK_THAT(difference(pinned, said), Contains("'required' of the argument 'n' is true"));
  Json many = Json::array();
  for (int at = 0; at < 8; ++at) many.push_back(field_of("a" + std::to_string(at), "string"));
  CHECK_THAT(difference(taking(many), taking(Json::array())), Contains("; and 3 more"));
}

TEST_CASE("what is no list of tools is refused with what is wrong with it", "[endpoint]") {
  CHECK_THAT(not_read(Json::array()), Contains("{\"tools\": […]}"));
  CHECK_THAT(not_read({{"tools", "square"}}), Contains("{\"tools\": […]}"));
  CHECK_THAT(not_read({{"tools", {42}}}), Contains("null is none"));
  CHECK_THAT(not_read({{"tools", {{{"name", "a b"}}}}}), Contains("\"a b\" is none"));
  CHECK_THAT(not_read({{"tools", {{{"name", "a"}}, {{"name", "a"}}}}}), Contains("two tools of the name \"a\""));
  CHECK_THAT(not_read({{"tools", {{{"name", "a"}, {"arguments", {{"type", "object"}}}}}}}), Contains("'arguments' of the tool \"a\" is not a list"));
  CHECK_THAT(not_read({{"tools", Json(1001, Json{{"name", "a"}})}}), Contains("at most 1000"));
  const auto tools = read_served_tools({{"tools", {{{"name", "a"}, {"effect", "pure"}}}}});
  REQUIRE(tools);
  CHECK(tools->at("a")["effect"] == "pure");
}

TEST_CASE("a description becomes a definition with the endpoint of its program", "[endpoint]") {
  const auto text = definition_text("square", {{"timeout", "5s"}, {"name", "square"}, {"arguments", {field_of("n", "integer")}}}, "python3 tools.py");
  REQUIRE(text);
  const auto document = read_document(*text, "x");
  REQUIRE(document);
  CHECK(document->to_json() == Json{{"name", "square"},
                                    {"arguments", {field_of("n", "integer")}},
                                    {"system_event_endpoint", "serve:python3 tools.py#square"},
                                    {"timeout", "5s"}});
  CHECK(document->members.front().key == "name");
  for (const auto* key : {"system_event_endpoint", "instructions", "implementation", "steps"}) {
    const auto refused = definition_text("square", {{"name", "square"}, {key, "exec:rm"}}, "python3 tools.py");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Contains(key));
  }
}

}  // namespace catena::lang::test
