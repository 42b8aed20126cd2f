#include "lang/program/step_traits.hpp"

#include <catch2/catch.hpp>

#include "tests/lang/fake_scope.hpp"

namespace catena::lang::test {
namespace {

FakeScope filer_step_with(const std::string& fields) {
  return FakeScope{R"({"arguments": [{"name": "doc", "type_name": "file"}, {"name": "xs", "type_name": "list"}], "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}, {"execution_id": "b", "tool_definition_path": "/tools/filer.tool"},
    {"execution_id": "c", "tool_definition_path": "/tools/any.tool"}, {"execution_id": "d", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "use", "tool_definition_path": "/tools/filer.tool", )" +
                   fields + "}]}"};
}

bool reads(const std::string& fields) { return reads_files(filer_step_with(fields).last()); }

}  // namespace

TEST_CASE("a step reads files when a part before the call asks the file store", "[traits]") {
  CHECK_FALSE(reads(R"("arguments": {"text": "x", "file": "REF:arguments.doc"})"));
  CHECK_FALSE(reads(R"("arguments": {"text": "REF:arguments.doc.file_name"})"));
  CHECK(reads(R"("arguments": {"text": "REF:arguments.doc"})"));
  CHECK(reads(R"("arguments": {"text": "REF:b.out.owner"})"));
  CHECK(reads(R"("conditions": [{"logic": "NOT", "conditions": [{"param": 1, "operator": "equals", "value": ["REF:b.out"]}]}])"));
  CHECK(reads(R"("parallel_execution": {"iterate_over": ["REF:b.out"], "child_argument_name": "text"})"));
  CHECK_FALSE(reads(R"("transform_arguments": {"variables": {"v": "REF:a.x"}, "transforms": {"text": "join(v) + REF:arguments.doc.path"}})"));
  CHECK(reads(R"~("transform_arguments": {"variables": {"v": ["REF:arguments.doc"]}, "transforms": {"text": "join(v)"}})~"));
  CHECK(reads(R"~("transform_arguments": {"variables": {"v": "read_file('/a')"}, "transforms": {"text": "v"}})~"));
  CHECK(reads(R"~("transform_arguments": {"transforms": {"text": "concat('', REF:arguments.doc)"}})~"));
  CHECK(reads(R"~("transform_arguments": {"transforms": {"text": "join(map([1], 'read_file(item)'))"}})~"));
}

TEST_CASE("a text that comes at run time could read files", "[traits]") {
  CHECK(reads(R"~("transform_arguments": {"variables": {"t": "item"}, "transforms": {"text": "join(map([1], t))"}})~"));
  CHECK(reads(R"~("transform_arguments": {"variables": {"t": []}, "transforms": {"text": "pipeline('x', t)"}})~"));
}

TEST_CASE("transform_responses is asked about by itself", "[traits]") {
  const auto* fields = R"("transform_responses": {"transforms": {"note": "REF:response.out"}})";
  CHECK_FALSE(reads(fields));
  CHECK_FALSE(shape_sees_chain(filer_step_with(fields).last()));
  CHECK(shape_sees_chain(filer_step_with(R"("transform_responses": {"transforms": {"out": "REF:arguments.doc"}})").last()));
}

TEST_CASE("the steps whose values a step needs are told apart from those of its transform_responses", "[traits]") {
  const auto scope = filer_step_with(R"~("arguments": {"text": "REF:c.x"}, "dependencies": ["a"],
    "transform_arguments": {"variables": {"v": ["REF:b.note"]}, "transforms": {"text": "join(v) + REF:c.y"}},
    "transform_responses": {"variables": {"v": {"k": "REF:d.x"}}, "transforms": {"note": "concat(REF:response.note, REF:a.z, REF:b.note)"}})~");
  CHECK(steps_seen(scope.last()) == std::vector<StepIndex>{1, 2});
  CHECK(shape_sees_chain(scope.last()));
  CHECK(std::get<AfterAll>(scope.last().gate).deps == std::vector<StepIndex>{0, 1, 2, 3});
}

}  // namespace catena::lang::test
