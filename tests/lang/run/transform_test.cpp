// transform_arguments and transform_responses while a chain runs.
#include <catch2/catch.hpp>

#include "lang/program/step_traits.hpp"
#include "lang/run/transform.hpp"
#include "tests/lang/fake_scope.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

/// A step 'fetch', and behind it a step 'use' of any.tool with these fields.
FakeScope any_step_with(const std::string& fields, const std::string& tool = "any") {
  FakeScope scope{R"({"arguments": [{"name": "text", "type_name": "string"}, {"name": "rows", "type_name": "list"}],
    "instructions": [{"execution_id": "fetch", "tool_definition_path": "/tools/any.tool"},
                     {"execution_id": "use", "tool_definition_path": "/tools/)" +
                  tool + R"(.tool", )" + fields + "}]}"};
  scope.input_ = R"({"text":"hi","rows":[{"name":"Ann","n":1},{"name":"Bob","n":2}]})";
  scope.views[0].response_ = R"({"body":"{\"user\":{\"name\":\"Ann\"}}","n":5})";
  return scope;
}

Arguments arguments_of(const FakeScope& scope) {
  auto made = Arguments::of(scope.last(), *scope.program, scope);
  if (!made) FAIL(render(made.error()));
  return std::move(*made);
}

std::string prepared(const std::string& fields) {
  const auto scope = any_step_with(fields);
  return arguments_of(scope).shared().text;
}

Error preparing_fails(const std::string& fields) {
  const auto scope = any_step_with(fields);
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  REQUIRE_FALSE(made);
  return made.error();
}

std::string shaped(const std::string& fields, const std::string& response) {
  auto scope = any_step_with(fields);
  scope.response_ = response;
  const auto made = shape_response(scope.last(), *scope.program, scope);
  if (!made) FAIL(render(made.error()));
  return made->value.text;
}

Error shaping_fails(const std::string& fields, const std::string& response) {
  auto scope = any_step_with(fields);
  scope.response_ = response;
  const auto made = shape_response(scope.last(), *scope.program, scope);
  REQUIRE_FALSE(made);
  return made.error();
}

}  // namespace

TEST_CASE("results of transform_arguments are set beside the arguments, and variables are not", "[transform]") {
  CHECK(prepared(R"~("arguments": {"a": 1}, "transform_arguments": {"variables": {"v": [1, 2]}, "transforms": {"s": "sum(v)"}})~") ==
        R"({"a":1,"s":3})");
  CHECK(prepared(R"("arguments": {"a": 1}, "transform_arguments": {"transforms": {"a": "a + 1"}})") == R"({"a":2})");
}

TEST_CASE("references of variables resolve inside lists and objects, calls are computed, other strings stay", "[transform]") {
  CHECK(prepared(R"~("transform_arguments": {
          "variables": {"v": ["REF:arguments.text", {"k": "REF:fetch.n", "c": "sum([1, 2])"}, "sum of [1]", "\\REF:a.b", "jion(1)"]}, "transforms": {"x": "v"}})~") ==
        R"~({"x":["hi",{"c":3,"k":5},"sum of [1]","REF:a.b","jion(1)"]})~");
  CHECK(
      prepared(
          R"~("transform_arguments": {"variables": {"t": "datetime_now()", "u": "datetime_now(format='unix')"}, "transforms": {"x": "[t, u]"}})~") ==
      R"({"x":["2026-01-02T03:04:05.678Z",1767323045]})");
}

TEST_CASE("variables override arguments in expressions, and see arguments themselves", "[transform]") {
  CHECK(prepared(R"~("arguments": {"a": 1, "b": 2}, "transform_arguments": {"variables": {"a": 10, "c": "abs(a)"},
          "transforms": {
      "x": "a + b", "y": "c"}})~") == R"({"a":1,"b":2,"x":12,"y":1})");
}

TEST_CASE("a result sees what those before it have set, ahead of variables and arguments", "[transform]") {
  CHECK(prepared(R"("arguments": {"a": 1}, "transform_arguments": {"transforms": {"a": "a + 1", "b": "a"}})") == R"({"a":2,"b":2})");
  CHECK(prepared(R"("arguments": {"a": 1}, "transform_arguments": {"transforms": {"b": "a", "a": "a + 1"}})") == R"({"a":2,"b":1})");
  CHECK(prepared(R"("transform_arguments": {"variables": {"a": 1}, "transforms": {"a": "a + 1", "b": "a"}})") == R"({"a":2,"b":2})");
  CHECK(prepared(R"("arguments": {"o": {"k": 1}}, "transform_arguments": {"transforms": {"o.l": "o.k + 1", "n": "o.k + o.l"}})") ==
        R"({"n":3,"o":{"k":1,"l":2}})");
}

TEST_CASE("a template text from a variable sees earlier results", "[transform]") {
  CHECK(prepared(R"~("transform_arguments": {"variables": {"t": "item + step"}, "transforms": {"step": "10", "all": "map([1, 2], t)"}})~") ==
        R"({"all":[11,12],"step":10})");
}

TEST_CASE("results of an item see each other in their order, and what all items share", "[transform]") {
  const auto scope =
      any_step_with(R"~("arguments": {"base": 10, "o": {"k": 1}}, "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"},
    "transform_arguments": {"transforms": {
      "early": "n + base", "base": "base + 1", "own": "n + base", "twice": "own * 2", "shared": "base * 2", "n": "n * 100", "late": "n + shared"}})~");
  auto arguments = arguments_of(scope);
  CHECK(arguments.shared().text == R"({"base":11,"o":{"k":1},"shared":22})");
  CHECK(arguments.of_item(JsonView{"1"})->text == R"({"early":11,"late":122,"n":100,"own":12,"twice":24})");
}

TEST_CASE("a nested field that is set behind what an item's result sees is not seen too early", "[transform]") {
  const auto scope = any_step_with(R"~("arguments": {"o": {"k": 1}}, "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"},
    "transform_arguments": {"transforms": {"o.a": "7", "own": "[n, o]", "o.b": "8", "end": "o"}})~");
  auto arguments = arguments_of(scope);
  CHECK(arguments.of_item(JsonView{"1"})->text == R"({"end":{"a":7,"b":8,"k":1},"o":{"a":7,"b":8,"k":1},"own":[1,{"a":7,"k":1}]})");
}

TEST_CASE("a dotted key sets a nested field and makes objects on the way", "[transform]") {
  CHECK(prepared(R"("arguments": {"a": {"k": 1}}, "transform_arguments": {"transforms": {"a.l": "2", "b.c.d": "3"}})") ==
        R"({"a":{"k":1,"l":2},"b":{"c":{"d":3}}})");
  const auto error = preparing_fails(R"("arguments": {"a": 1}, "transform_arguments": {"transforms": {"a.l": "2"}})");
  CHECK(error.code == Code::expression_value);
  CHECK_THAT(error.message, Contains("'a.l'") && Contains("'a' is a number"));
}

TEST_CASE("a reference inside an expression or a template text is resolved", "[transform]") {
  CHECK(prepared(R"~("transform_arguments": {"transforms": {
          "count": "REF:arguments.rows.length", "name": "get_object_property(json_parse(REF:fetch.body), 'user.name')",
          "sums": "map(REF:arguments.rows, 'item.n + REF:fetch.n')"}})~") == R"({"count":2,"name":"Ann","sums":[6,7]})");
}

TEST_CASE("a template may come from a variable", "[transform]") {
  CHECK(prepared(R"~("transform_arguments": {"variables": {"rows": "REF:arguments.rows", "template": "item.name"},
          "transforms": {"names": "join(map(array=rows, template=template), ', ')"}})~") == R"({"names":"Ann, Bob"})");
}

TEST_CASE("a template from a variable cannot smuggle in a reference", "[transform]") {
  const auto error = preparing_fails(R"~("transform_arguments": {"variables": {"rows": "REF:arguments.rows", "template": "see REF:fetch.n"},
          "transforms": {"x": "map(rows, 'item.n')", "y": "pipeline(1, [template])"}})~");
  CHECK(error.code == Code::expression_syntax);
  const auto reference = preparing_fails(R"~("transform_arguments": {"variables": {"rows": "REF:arguments.rows", "t": "item + REF:fetch.n"},
          "transforms": {"y": "map(rows, t)"}})~");
  CHECK(reference.code == Code::reference_unknown);
}

TEST_CASE("an error of an expression has its place, the expression and a caret", "[transform]") {
  const auto error = preparing_fails("\"arguments\": {\"a\": \"x\"},\n  \"transform_arguments\": {\"transforms\": {\"b\": \"1 + a\"}}");
  CHECK(error.code == Code::expression_value);
  CHECK(error.where.line == 4);
  CHECK(error.notes == std::vector<std::string>{"1 + a", "  ^"});
}

TEST_CASE("a variable whose reference finds nothing is an error that names it", "[transform]") {
  const auto error = preparing_fails(R"("transform_arguments": {"variables": {"v": "REF:fetch.m"}, "transforms": {"x": "v"}})");
  CHECK(error.code == Code::reference_unresolved);
  CHECK_THAT(error.message, Contains("REF:fetch.m") && Contains("fetch"));
}

TEST_CASE("what does not name the item is computed once, the rest once an item", "[transform]") {
  const auto scope = any_step_with(R"~("arguments": {"base": 10}, "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"},
    "transform_arguments": {"variables": {"up": "abs(n)", "text": "item + n"}, "transforms": {
      "shared": "base * 2", "own": "up + base", "o.k": "n", "late": "map([1], text)", "n": "n * 100"}})~");
  auto arguments = arguments_of(scope);
  CHECK(arguments.shared().text == R"({"base":10,"shared":20})");
  REQUIRE(items_vary(scope.last()));
  CHECK(arguments.of_item(JsonView{"-1"})->text == R"({"late":[0],"n":-100,"o":{"k":-1},"own":11})");
  CHECK(arguments.of_item(JsonView{"2"})->text == R"({"late":[3],"n":200,"o":{"k":2},"own":12})");
}

TEST_CASE("a nested field set for an item keeps what stands beside it", "[transform]") {
  const auto scope = any_step_with(R"("arguments": {"o": {"a": 1}}, "parallel_execution": {"iterate_over": [{"v": 1}], "child_argument_name": "n"},
    "transform_arguments": {"transforms": {"o.b": "n.v", "n.w": "n.v + 1"}})");
  auto arguments = arguments_of(scope);
  CHECK(arguments.of_item(JsonView{R"({"v":1})"})->text == R"({"n":{"v":1,"w":2},"o":{"a":1,"b":1}})");
}

TEST_CASE("transform_responses sees the response by name and by reference", "[transform]") {
  CHECK(shaped(R"~("transform_responses": {"variables": {"items": "REF:response.items"},
          "transforms": {"total": "sum(items, 'item.n')", "count": "REF:response.items.length", "text": "text + '!'", "all": "length(REF:response)"}})~",
               R"({"items":[{"n":1},{"n":2}],"text":"hi"})") == R"({"all":2,"count":2,"items":[{"n":1},{"n":2}],"text":"hi!","total":3})");
}

TEST_CASE("transform_responses may name keys that no tool declares, and what is not there is an error with the names", "[transform]") {
  const auto error = shaping_fails(R"("transform_responses": {"transforms": {"x": "extar + 1"}})", R"({"extra":1})");
  CHECK(error.code == Code::variable_unknown);
  CHECK_THAT(error.message, Contains("did you mean 'extra'"));
  const auto reference = shaping_fails(R"("transform_responses": {"transforms": {"x": "REF:response.extar"}})", R"({"extra":1})");
  CHECK(reference.code == Code::reference_unresolved);
  CHECK_THAT(reference.message, Contains("did you mean 'extra'"));
}

TEST_CASE("transform_responses of a fan-out runs on the list and gives keys beside it", "[transform]") {
  auto scope = any_step_with(R"~("parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
    "transform_responses": {"variables": {"all": "REF:response"}, "transforms": {
      "total": "sum(all, 'item.v')", "first": "REF:response.first.v", "by.count": "REF:response.length"}})~");
  scope.response_ = R"([{"v":3},{"v":4}])";
  const auto made = shape_items(scope.last(), *scope.program, scope);
  REQUIRE(made);
  CHECK(made->value.text == R"({"by":{"count":2},"first":3,"total":7})");
}

TEST_CASE("keys that transform_responses of a fan-out adds are references, also where it did not complete", "[transform]") {
  FakeScope scope{R"({"arguments": [], "instructions": [
    {"execution_id": "each", "tool_definition_path": "/tools/any.tool", "parallel_execution": {"iterate_over": [1], "child_argument_name": "n"},
     "transform_responses": {"transforms": {"total": "7", "o.k": "8", "status": "'mine'"}}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool", "arguments": {
      "t": "REF:each.total", "k": "REF:each.o.k", "s": "REF:each.status", "l": "REF:each.response"}}]})"};
  scope.views[0].items_ = std::vector<std::string>{"{}"};
  scope.views[0].added_ = R"({"total":7,"o":{"k":8},"status":"mine"})";
  CHECK(arguments_of(scope).shared().text == R"({"t":7,"k":8,"s":"mine","l":[{}]})");
  scope.views[0].status_ = StepStatus::skipped;
  CHECK(arguments_of(scope).shared().text == R"({"t":null,"k":null,"s":"skipped","l":null})");
}

TEST_CASE("a transformed value nests no deeper than a document", "[transform]") {
  auto scope = any_step_with(R"("arguments": {"a": "REF:fetch.deep"}, "transform_arguments": {"transforms": {"x.y.z": "a"}})");
  scope.views[0].response_ = "{\"deep\":" + std::string(198, '[') + std::string(198, ']') + "}";
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == Code::nesting_too_deep);
}

TEST_CASE("a step without transforms gives the text of its arguments as it is", "[transform]") {
  CHECK(prepared(R"("arguments": {"b": 1, "a": "REF:fetch.n"})") == R"({"b":1,"a":5})");
}

TEST_CASE("warnings of functions come with the arguments", "[transform]") {
  auto scope = any_step_with(R"~("transform_arguments": {"transforms": {"x": "length(list_files('/many'))"}})~");
  for (int file = 0; file < 60; ++file) scope.store.put(fmt::format("/many/{:02}.txt", file), "x");
  auto arguments = arguments_of(scope);
  CHECK(arguments.shared().text == R"({"x":50})");
  const auto warnings = arguments.take_warnings();
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Contains("truncated") && Contains("/many"));
}

}  // namespace catena::lang::test
