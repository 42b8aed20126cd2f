// Values that are declared `file`.
#include <catch2/catch.hpp>

#include "lang/run/conditions.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/transform.hpp"
#include "tests/lang/fake_scope.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

FakeScope used_with(const std::string& arguments, const std::string& more = "") {
  FakeScope scope{R"({"arguments": [{"name": "doc", "type_name": "file"}, {"name": "plain", "type_name": "string"}], "instructions": [
    {"execution_id": "make", "tool_definition_path": "/tools/filer.tool"},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool", "arguments": )" +
                  arguments + more + "}]}"};
  scope.input_ = R"({"doc":"/data//a.txt","plain":"/data/a.txt"})";
  scope.views[0].response_ = R"({"out":"/data/deep/c.txt","note":"n"})";
  return scope;
}

std::string value(const FakeScope& scope) {
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  if (!made) FAIL(render(made.error()));
  return JsonView{made->shared()}.find("x")->string();
}

std::string value(const std::string& reference) { return value(used_with("{\"x\": \"" + reference + "\"}")); }

Json json(const std::string& reference) {
  const auto scope = used_with("{\"x\": \"" + reference + "\"}");
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  if (!made) FAIL(render(made.error()));
  return JsonView{made->shared()}.find("x")->parse();
}

Error argument_error(const FakeScope& scope) {
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  REQUIRE_FALSE(made);
  return made.error();
}

bool holds_when(const FakeScope& scope) {
  const auto verdict = holds(*scope.last().when, *scope.program, scope);
  if (!verdict) FAIL(render(verdict.error()));
  return verdict->holds;
}

}  // namespace

TEST_CASE("a bare reference to a file is its content, and of a string the string", "[files]") {
  CHECK(value("REF:arguments.doc") == "hello");
  CHECK(value("REF:make.out") == "deep");
  CHECK(value("REF:make.response.out") == "deep");
  CHECK(value("REF:arguments.plain") == "/data/a.txt");
  CHECK(value("REF:make.note") == "n");
}

TEST_CASE("attributes of a file are references, too", "[files]") {
  CHECK(value("REF:arguments.doc.path") == "/data/a.txt");
  CHECK(value("REF:arguments.doc.full_path") == "/data/a.txt");
  CHECK(value("REF:arguments.doc.file_name") == "a.txt");
  CHECK(value("REF:arguments.doc.parent_directory") == "/data");
  CHECK(value("REF:make.out.file_path") == "/data/deep");
  CHECK(value("REF:arguments.doc.added_on") == "2026-01-02T03:04:05.678Z");
  CHECK(value("REF:arguments.doc.owner") == "ann");
  CHECK(value("REF:arguments.doc.group") == "staff");
  CHECK(json("REF:arguments.doc.size") == 5);
  CHECK(value("REF:arguments.doc.version_id") == "v2");
  CHECK(json("REF:arguments.doc.metadata") == Json{{"lang", "en"}, {"tags", {"x", "y"}}});
  CHECK(value("REF:arguments.doc.metadata.lang") == "en");
  CHECK(json("REF:arguments.doc.metadata.tags.length") == 2);
  CHECK(json("REF:arguments.doc.metadata.nothing").is_null());
  CHECK(json("REF:arguments.doc.file_name.length") == 5);
}

TEST_CASE("the parent directory of a file at the top is the top", "[files]") {
  auto scope = used_with(R"({"x": "REF:arguments.doc.parent_directory"})");
  scope.input_ = R"({"doc":"/a.txt"})";
  CHECK(value(scope) == "/");
}

TEST_CASE("a file goes to a place that is declared file as its path", "[files]") {
  FakeScope scope{R"({"arguments": [{"name": "doc", "type_name": "file"}],
    "responses": [{"name": "kept", "type_name": "file"}, {"name": "text", "type_name": "string"}],
    "instructions": [{"execution_id": "a", "tool_definition_path": "/tools/filer.tool",
      "arguments": {"file": "REF:arguments.doc", "text": "REF:arguments.doc"}}],
    "response_reference_map": {"kept": "REF:a.out", "text": "REF:a.out"}})"};
  scope.input_ = R"({"doc":"/data/a.txt"})";
  scope.views[0].response_ = R"({"out":"/data/deep/c.txt"})";
  const auto made = Arguments::of(scope.last(), *scope.program, scope);
  REQUIRE(made);
  CHECK(made->shared().text == R"({"file":"/data/a.txt","text":"hello"})");
  CHECK(evaluate(std::get<Expr>(scope.program->outputs), *scope.program, scope)->text == R"({"kept":"/data/deep/c.txt","text":"deep"})");
}

TEST_CASE("a file that was not given is null, and so is all about it", "[files]") {
  for (const auto* reference : {"REF:arguments.doc", "REF:arguments.doc.path", "REF:arguments.doc.size", "REF:arguments.doc.metadata.k"}) {
    auto scope = used_with(std::string{R"({"x": ")"} + reference + "\"}");
    scope.input_ = "{}";
    const auto made = Arguments::of(scope.last(), *scope.program, scope);
    INFO(reference);
    REQUIRE(made);
    CHECK(made->shared().text == R"({"x":null})");
  }
  auto skipped = used_with(R"({"x": "REF:make.out.owner"})");
  skipped.views[0].status_ = StepStatus::skipped;
  CHECK(Arguments::of(skipped.last(), *skipped.program, skipped)->shared().text == R"({"x":null})");
}

TEST_CASE("what is no text says how to get the path instead", "[files]") {
  auto scope = used_with(R"({"x": "REF:arguments.doc"})");
  scope.input_ = R"({"doc":"/data/picture.png"})";
  const auto error = argument_error(scope);
  CHECK(error.code == Code::file_not_text);
  CHECK_THAT(error.message, Contains("REF:arguments.doc.path"));
  CHECK(error.where.line > 0);
}

TEST_CASE("a file that is not there, a path that is none and a value that is no path are errors with the reference", "[files]") {
  auto scope = used_with(R"({"x": "REF:arguments.doc.size"})");
  scope.input_ = R"({"doc":"/nowhere"})";
  CHECK(argument_error(scope).code == Code::file_not_found);
  CHECK_THAT(argument_error(scope).message, Contains("REF:arguments.doc.size") && Contains("/nowhere"));
  scope.input_ = R"({"doc":"../x"})";
  CHECK(argument_error(scope).code == Code::file_path_invalid);
  scope.input_ = R"({"doc":7})";
  CHECK(argument_error(scope).code == Code::reference_unresolved);
  CHECK_THAT(argument_error(scope).message, Contains("'doc' is declared a file"));
}

TEST_CASE("without a file store only what the path says can be had", "[files]") {
  auto scope = used_with(R"({"x": "REF:arguments.doc.file_name"})");
  scope.has_store = false;
  CHECK(value(scope) == "a.txt");
  auto content = used_with(R"({"x": "REF:arguments.doc"})");
  content.has_store = false;
  CHECK(argument_error(content).code == Code::feature_unavailable);
}

TEST_CASE("in conditions a file that cannot be found is null", "[files]") {
  auto scope = used_with("{}", R"(, "conditions": [{"param": "REF:arguments.doc.size", "operator": "greater_than", "value": 4}])");
  CHECK(holds_when(scope));
  scope.input_ = R"({"doc":"/nowhere"})";
  CHECK_FALSE(holds_when(scope));
  auto missing = used_with("{}", R"(, "conditions": [{"param": "REF:arguments.doc", "operator": "not_exists"}])");
  CHECK_FALSE(holds_when(missing));
  missing.input_ = R"({"doc":"/nowhere"})";
  CHECK(holds_when(missing));
}

TEST_CASE("transforms read files by reference and by function", "[files]") {
  const auto scope =
      used_with("{}", R"~(, "transform_arguments": {"variables": {"text": "REF:arguments.doc", "history": "list_file_versions('/data/a.txt')"},
    "transforms": {"x": "concat(text, ' ', REF:make.out, ' ', read_file(REF:arguments.plain, 'v1'), ' ', history.0.version_id)"}})~");
  CHECK(value(scope) == "hello deep old v2");
}

TEST_CASE("arguments and responses that are declared file must be paths of the file store", "[files]") {
  Schema schema;
  schema.fields.push_back({"f", Type::file, "", false, std::nullopt, {}});
  CHECK(check_arguments(JsonText{R"({"f":"/a/b.txt"})"}, schema, "x"));
  CHECK(check_arguments(JsonText{R"({"f":null})"}, schema, "x"));
  CHECK(check_arguments(JsonText{R"({"f":"a.txt"})"}, schema, "x").error().code == Code::file_path_invalid);
  CHECK(check_arguments(JsonText{R"({"f":7})"}, schema, "x").error().code == Code::argument_type);
  CHECK(check_response(JsonText{R"({"f":"/a/../b"})"}, schema, "x").error().code == Code::file_path_invalid);
  CHECK(check_response(JsonText{R"({"f":[]})"}, schema, "x").error().code == Code::response_type);
  CHECK_THAT(check_response(JsonText{R"({"f":""})"}, schema, "step 's'").error().message, Contains("step 's'") && Contains("'f'"));
}

}  // namespace catena::lang::test
