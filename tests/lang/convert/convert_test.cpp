#include <catch2/catch.hpp>

#include <algorithm>

#include "lang/convert/convert.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

tl::expected<Conversion, Diagnostics> converted(const std::string& document) {
  auto finder = standard_tools();
  finder.add("/c.yaml", document);
  return convert_to_tool("/c.yaml", finder, kCatalog);
}

/// Converted, and read again as what it became.
Json tool_of(const std::string& document) {
  const auto made = converted(document);
  if (!made) FAIL(rendered(made.error()));
  auto finder = standard_tools();
  finder.add("/c.tool", made->text);
  const auto package = load_package("/c.tool", finder, kCatalog);
  INFO(made->text);
  if (!package) FAIL(rendered(package.error()));
  return Json::parse(made->text);
}

std::vector<std::string> problems_of(const std::string& document) {
  const auto made = converted(document);
  if (made) FAIL(made->text);
  std::vector<std::string> messages;
  for (const auto& error : made.error()) {
    CHECK(error.code == Code::not_convertible);
    CHECK(error.where.line > 0);
    messages.push_back(error.message);
  }
  return messages;
}

std::string yaml_composite(const std::string& steps) {
  return "name: c\nparameters: [{name: text, type: string, required: true}]\nimplementation:\n  type: composite\n  composite:\n    "
         "steps:\n" +
         steps;
}

}  // namespace

TEST_CASE("a reference to what is always there becomes REF:, any other an expression", "[convert]") {
  const auto tool = tool_of(
      "steps: [{name: say, tool: echo, inputMapping: {text: hi}}, {tool: any, inputMapping: {a: $prev.text, b: $prev.length, c: [$prev], "
      "d: {e: $input.x}}}]");
  const auto& step = tool["instructions"][1];
  CHECK(step["arguments"] == Json::parse(R"({"a": "REF:say.text", "c": ["REF:say.response"], "d": {"e": "REF:arguments.x"}})"));
  CHECK(step["transform_arguments"]["transforms"] == Json::parse(R"j({"b": "default(get_object_property(REF:say.response, \"length\"), null)"})j"));
  CHECK(step["dependencies"] == Json::parse(R"(["say"])"));
  CHECK(tool["additional_arguments"] == true);
}

TEST_CASE("in a strict pipeline an expression fails where the reference would", "[convert]") {
  const auto tool = tool_of("strict: true\nsteps: [{name: say, tool: echo, inputMapping: {text: hi}}, {tool: any, inputMapping: {b: $prev.length}}]");
  CHECK(tool["instructions"][1]["transform_arguments"]["transforms"]["b"] == R"(get_object_property(REF:say.response, "length"))");
  CHECK_THAT(problems_of("strict: true\nsteps: [{tool: any, inputMapping: {b: $input.x}}]").front(), Contains("$input.x"));
}

TEST_CASE("texts that the tool dialect would read as something else are escaped", "[convert]") {
  const auto tool = tool_of(R"~({"steps": [{"tool": "any", "inputMapping": {"a": "REF:x.y", "b": ["\\REF:z", "$5", "datetime_now()"]}}]})~");
  const auto& step = tool["instructions"][0];
  CHECK(step["arguments"] == Json{{"a", "\\REF:x.y"}});
  CHECK(step["transform_arguments"]["transforms"]["b"] == R"~(["\\REF:z", "$5", "datetime_now()"])~");
}

TEST_CASE("the input becomes arguments, and what they cannot say is reported, all of it", "[convert]") {
  const auto tool = tool_of(
      R"({"description": "d", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "default": 2, "enum": [1, 2], "description": "how many"}, "l": {"type": "array"}},
    "required": ["l"], "additionalProperties": false}, "steps": [{"tool": "any", "inputMapping": {"all": "$input"}}]})");
  CHECK(tool["arguments"] == Json::parse(R"([{"name": "n", "type_name": "integer", "default_value": 2, "enum": [1, 2], "description": "how many"},
    {"name": "l", "type_name": "list", "required": true}])"));
  CHECK_FALSE(tool.contains("additional_arguments"));
  CHECK(tool["instructions"][0]["arguments"]["all"] == Json::parse(R"({"n": "REF:arguments.n", "l": "REF:arguments.l"})"));
  const auto problems = problems_of(
      R"({"inputSchema": {"properties": {"a": {"minLength": 2}, "b": {"type": ["string", "null"]}, "c": {"$ref": "#/properties/a"}}, "required": ["z"],
    "additionalProperties": {"type": "string"}, "minProperties": 1}, "steps": [{"tool": "any", "inputMapping": {"x": "$input"}}]})");
  CHECK(problems.size() == 7);
}

TEST_CASE("settings of attempts are said where they differ from the definition's", "[convert]") {
  const auto tool = tool_of(
      "mode: compose\nsteps: [{tool: careful}, {name: b, tool: careful, retry: {max_attempts: 2, jitter: 0}, timeout: 1s, effect: pure, "
      "needs: [gpu]}]");
  CHECK_FALSE(tool["instructions"][0].contains("retry"));
  CHECK_FALSE(tool["instructions"][0].contains("needs"));
  const auto& own = tool["instructions"][1];
  CHECK(own["retry"] == Json::parse(R"({"max_attempts": 2, "jitter": 0.0})"));
  CHECK(own["timeout"] == "1s");
  CHECK(own["effect"] == "pure");
  CHECK(own["needs"] == Json::parse(R"(["gpu"])"));
}

TEST_CASE("a call is written as the shortest path that leads to the same source", "[convert]") {
  const auto tool = tool_of("mode: compose\nsteps: [{tool: any}, {tool: twice, inputMapping: {text: x}}, {tool: writer, inputMapping: {topic: x}}]");
  CHECK(tool["instructions"][0]["tool_definition_path"] == "/tools/any.tool");
  CHECK(tool["instructions"][1]["tool_definition_path"] == "/tools/twice.tool");
  CHECK(tool["instructions"][2]["tool_definition_path"] == "/agents/writer.agent");
}

TEST_CASE("the response of a pipeline is what its last step declares, else stands under response", "[convert]") {
  CHECK(tool_of("steps: [{tool: writer, inputMapping: {topic: x}}]")["response_reference_map"] == Json::parse(R"({"draft": "REF:writer.draft"})"));
  CHECK(tool_of("mode: compose\nsteps: [{tool: any}]")["response_reference_map"] == Json::parse(R"({"response": "REF:any.response"})"));
}

TEST_CASE("a file that another dialect hands on as its path stays a path", "[convert]") {
  const auto tool = tool_of("mode: compose\nsteps: [{tool: filer}, {tool: any, inputMapping: {x: $prev.out}}]");
  CHECK(tool["instructions"][1]["transform_arguments"]["transforms"]["x"] == R"(default(get_object_property(REF:filer.response, "out"), null))");
}

TEST_CASE("what is in the tool or agent dialect, or is not valid, is not converted", "[convert]") {
  CHECK_THAT(problems_of(R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/any.tool"}]})").front(),
             Contains("tool dialect already"));
  const auto invalid = converted("steps: [{inputMapping: {}}]");
  REQUIRE_FALSE(invalid);
  CHECK(invalid.error().front().code == Code::field_missing);
}

TEST_CASE("the same definition is written the same way each time", "[convert]") {
  const std::string document = "steps: [{tool: any, inputMapping: {b: 1, a: 2, z: {y: 1, x: 2}}}]";
  const auto first = converted(document);
  REQUIRE(first);
  CHECK(first->text == converted(document)->text);
  CHECK(first->text.find("\"name\"") < first->text.find("\"instructions\""));
  CHECK(first->text.find("\"b\": 1") < first->text.find("\"a\": 2"));
}

TEST_CASE("variables of a state become references to where they were set", "[convert]") {
  const auto tool = tool_of(yaml_composite(R"(
      - {name: say, tool: echo, inputs: {text: "{{ text }}"}, on_success: {map_outputs: {text: said, length: size}}}
      - {name: keep, tool: any, inputs: {a: "{{ said }}", b: "{{ state.size + 1 }}", c: "<{{ said }}>", d: "{{ chain_name }}"}, on_success: {transform: {twice: "{{ concat(said, said) }}"}}}
      - {name: fin, tool: any, inputs: {t: "{{ twice }}"}})"));
  CHECK(tool["instructions"][0]["arguments"]["text"] == "REF:arguments.text");
  const auto& keep = tool["instructions"][1];
  CHECK(keep["arguments"] == Json::parse(R"({"a": "REF:say.text", "d": "c"})"));
  CHECK(keep["transform_arguments"]["transforms"]["b"] == "(REF:say.length) + 1");
  CHECK(keep["transform_arguments"]["transforms"]["c"] == R"(concat("<", if(REF:say.text == null, "", to_string(REF:say.text)), ">"))");
  CHECK(keep["transform_responses"]["transforms"]["twice"] == "concat((REF:say.text), (REF:say.text))");
  CHECK(tool["instructions"][2]["arguments"]["t"] == "REF:keep.twice");
  CHECK(tool["instructions"][2]["dependencies"] == Json::parse(R"(["keep"])"));
  CHECK(tool["response_reference_map"] == Json::parse(R"({"said": "REF:say.text", "size": "REF:say.length", "twice": "REF:keep.twice"})"));
}

TEST_CASE("when becomes conditions", "[convert]") {
  const auto tool = tool_of(yaml_composite(R"(
      - {tool: any, inputs: {}, when: "{{ text == 'x' or (not text and text in ['a', -1]) }}"})"));
  CHECK(tool["instructions"][0]["conditions"] == Json::parse(R"([{"logic": "OR", "conditions": [
    {"param": "REF:arguments.text", "operator": "equals", "value": "x"},
    {"logic": "AND", "conditions": [
      {"logic": "NOT", "conditions": [{"param": "REF:arguments.text", "operator": "not_in", "value": [null, false, 0, "", [], {}]}]},
      {"param": "REF:arguments.text", "operator": "in", "value": ["a", -1]}]}]}])"));
}

TEST_CASE("what only a state can do is reported, all of it at once", "[convert]") {
  const auto problems = problems_of(yaml_composite(R"(
      - {name: a, tool: any, inputs: {id: "{{ chain_id }}"}, on_failure: {action: continue, next: c}}
      - {name: b, tool: any, inputs: {}, when: "{{ length(text) > 3 }}", on_success: {map_outputs: {x: x}}}
      - {name: c, tool: any, inputs: {x: "{{ x }}"}}
      - {name: d, loop: {over: "{{ [1] }}", as: i, steps: [{tool: any, inputs: {}}]}}
      - {name: e, tool: any, inputs: {}, on_success: {next: a}})"));
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(problems, [&](const auto& message) { return message.find(text) != std::string::npos; });
  };
  CHECK(has("chain_id"));
  CHECK(has("goes on elsewhere"));
  CHECK(has("calculated"));
  CHECK(has("'x'"));
  CHECK(has("loop"));
  CHECK(has("jumps back"));
}

}  // namespace catena::lang::test
