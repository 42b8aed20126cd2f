#include <catch2/catch.hpp>

#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"
#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

tl::expected<Package, Diagnostics> load_pipeline(const std::string& document) {
  auto finder = standard_tools();
  finder.add("/p.yaml", document);
  return load_package("/p.yaml", finder, kCatalog);
}

Package pipeline_package(const std::string& document) { return valid_document("/p.yaml", document); }

const Ref& reference(const Package& package, std::size_t step) {
  return std::get<Ref>(std::get<ObjectExpr>(package.main().steps[step].bind.node).members.front().second.node);
}

}  // namespace

TEST_CASE("each step of a pipeline waits for the one before, and its failure ends the chain", "[pipeline]") {
  const auto package = pipeline_package("mode: compose\nsteps: [{name: x, tool: any}, {tool: any}, {name: y, tool: careful, timeout: 3s}]");
  const auto& steps = package.main().steps;
  REQUIRE(steps.size() == 3);
  CHECK(std::get<AfterAll>(steps[0].gate).deps.empty());
  CHECK(std::get<AfterAll>(steps[1].gate).deps == std::vector<StepIndex>{0});
  CHECK(std::get<AfterAll>(steps[2].gate).deps == std::vector<StepIndex>{1});
  for (const auto& step : steps) {
    CHECK(std::holds_alternative<Settle>(step.ok));
    CHECK(std::holds_alternative<FinishFailed>(step.failed));
    CHECK(step.heeds_success);
  }
  CHECK(steps[0].blame == R"(Step "x" (tool: "any") failed)");
  CHECK(steps[1].blame == R"(Step "any" (tool: "any") failed)");
  CHECK(steps[2].timeout == Millis{3'000});
  CHECK(steps[2].deadline == Millis{300'000});
  CHECK(steps[2].effect == EffectClass::at_most_once);
  const auto& last = std::get<Ref>(std::get<Expr>(package.main().outputs).node);
  CHECK(last.step == 2);
  CHECK(last.path.empty());
}

TEST_CASE("step ids are made of names or tools, each once and of allowed characters", "[pipeline]") {
  const auto package = pipeline_package(
      "mode: compose\nsteps: [{name: 'sum up!', tool: any}, {tool: any}, {tool: any}, {name: any-2, tool: any}, {name: response, tool: "
      "any}]");
  std::vector<std::string> ids;
  for (const auto& step : package.main().steps) ids.push_back(step.id);
  CHECK(ids == std::vector<std::string>{"sum_up_", "any", "any-2", "any-2-2", "response-2"});
  CHECK(package.main().steps.front().name == "sum up!");
}

TEST_CASE("references are lenient, and where the pipeline is strict ask for what has to be there", "[pipeline]") {
  const std::string steps = "steps: [{tool: any}, {tool: any, inputMapping: {x: '$prev.a[0].b'}}]";
  const auto lenient = pipeline_package(steps);
  CHECK(reference(lenient, 1).path == std::vector<std::string>{"a", "0", "b"});
  CHECK(reference(lenient, 1).lenient);
  const auto strict = pipeline_package("strict: true\n" + steps);
  const auto& value = std::get<ObjectExpr>(strict.main().steps[1].bind.node).members.front().second;
  const auto& computed = std::get<Computed>(value.node);
  CHECK(computed.expression->text == R"(get_object_property(REF:steps.0, "a.0.b"))");
  CHECK(steps_referenced(value) == std::vector<StepIndex>{0});
}

TEST_CASE("only a whole string of a word and a path is a reference", "[pipeline]") {
  for (const auto* text : {"$5", "$", "$ input", "$input x", "$input.a b", "x$input", "$input-x", "$input/y", "$$input"}) {
    const auto package = pipeline_package("strict: true\nsteps:\n  - tool: any\n    inputMapping: {x: " + Json(text).dump() + "}");
    const auto& value = std::get<ObjectExpr>(package.main().steps[0].bind.node).members.front().second;
    CHECK(std::get<Literal>(value.node).value == text);
  }
  for (const auto* text :
       {"$input[", "$input[]", "$input[x]", "$input[0]x", "$input.", "$input.a..b", "$input[0]]", "$input.a]", "$wrong", "$Input", "$_x.y"}) {
    const auto package = load_pipeline("strict: true\nsteps:\n  - tool: any\n    inputMapping: {x: " + Json(text).dump() + "}");
    INFO(text);
    REQUIRE_FALSE(package);
    CHECK(package.error().size() == 1);
  }
}

TEST_CASE("the properties of inputSchema are what callers see", "[pipeline]") {
  const auto package = pipeline_package(R"(
inputSchema:
  type: object
  properties:
    q: {type: string, description: what to look for}
    n: {type: integer, default: 3}
    kind: {enum: [a, b]}
    tags: {type: array}
    loose: {type: [string, "null"]}
  required: [q]
  additionalProperties: false
steps: [{tool: any, inputMapping: {}}])");
  const auto& schema = package.main().arguments;
  REQUIRE(schema.json_schema);
  CHECK_FALSE(schema.additional);
  REQUIRE(schema.fields.size() == 5);
  CHECK(schema.find("q")->required);
  CHECK(schema.find("q")->description == "what to look for");
  CHECK(schema.find("n")->type == Type::integer);
  CHECK(schema.find("n")->default_value == Json(3));
  CHECK(schema.find("kind")->allowed == std::vector<Json>{"a", "b"});
  CHECK(schema.find("tags")->type == Type::list);
  CHECK(schema.find("loose")->type == Type::any);
}

TEST_CASE("without inputSchema a pipeline takes anything", "[pipeline]") {
  const auto package = pipeline_package("mode: compose\nsteps: [{tool: any}]");
  CHECK(package.main().arguments.additional);
  CHECK_FALSE(package.main().arguments.json_schema);
}

TEST_CASE("null stays where inputSchema lets null through", "[pipeline]") {
  const auto package = pipeline_package(
      R"({"inputSchema": {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}, "steps": [{"tool": "any", "inputMapping": {}}]})");
  CHECK(check_arguments(JsonText{R"({"a":null})"}, package.main().arguments, "p"));
  const auto missing = check_arguments(JsonText{"{}"}, package.main().arguments, "p");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::argument_schema);
}

TEST_CASE("arguments that are no object are refused before the schema is asked", "[pipeline]") {
  const auto package = pipeline_package(R"({"inputSchema": {}, "steps": [{"tool": "any", "inputMapping": {}}]})");
  const auto checked = check_arguments(JsonText{"[1]"}, package.main().arguments, "p");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().code == Code::argument_type);
}

TEST_CASE("a pinned pipeline is read again from its manifest", "[pipeline]") {
  const auto package = pipeline_package(
      R"({"inputSchema": {"properties": {"a": {"minimum": 3}}}, "steps": [{"tool": "twice", "inputMapping": {"text": "$input.a"}}]})");
  const auto again = from_manifest(package.manifest, kCatalog);
  REQUIRE(again);
  CHECK(again->hash == package.hash);
  CHECK_FALSE(check_arguments(JsonText{R"({"a":1})"}, again->main().arguments, "p"));
}

}  // namespace catena::lang::test
