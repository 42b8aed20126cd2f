// Failures that somebody looks at, what cleans up after them, and what is read of a step that did not run.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

std::string when(const std::string& reference, const std::string& op, const std::string& value) {
  return R"("conditions": [{"param": ")" + reference + R"(", "operator": ")" + op + R"(", "value": )" + value + "}]";
}

}  // namespace

TEST_CASE("a condition on status, error or error_message of a step handles its failure") {
  const auto observed =
      GENERATE(as<std::string>{}, when("REF:a.status", "equals", R"("failed")"), when("REF:a.error.code", "equals", R"("tool_failed")"),
               when("REF:a.error_message", "contains", R"("as the script says")"));
  CAPTURE(observed);
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  const auto ended = f.complete(pin(composite({step("a"), step("b", observed)})));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(f.script.count("c/b") == 1);
  CHECK(f.complete(pin(composite({step("a"), step("b", observed)})), "d").status == ChainStatus::succeeded);
  CHECK(f.script.count("d/b") == 0);
}

TEST_CASE("a failure that nobody looks at is not handled by a step that only waits for it") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  CHECK(f.complete(pin(composite({step("a"), step("cleanup", R"("dependencies": ["a"])")}))).status == ChainStatus::failed);
  CHECK(f.script.count("c/cleanup") == 0);
}

TEST_CASE("a cleanup step runs once, when all that it depends on has settled: completed, failed or skipped") {
  Fixture f;
  f.script.on("c/bad", failure(Code::tool_failed));
  f.script.on("c/slow", held());
  f.submit(pin(composite({step("bad"), step("slow"), step("never", when("1", "equals", "2")), step("look", when("REF:bad.error", "exists", "null")),
                          step("cleanup", R"("dependencies": ["bad", "slow", "never", "look"])")})));
  f.run();
  CHECK(f.script.count("c/look") == 1);
  CHECK(f.script.count("c/cleanup") == 0);
  f.script.release("c/slow", answer("{}"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/cleanup") == 1);
  CHECK(f.script.keys().back() == "c/cleanup");
}

TEST_CASE("of a skipped step everything is null, a list of it fans out over nothing, and transforms find it empty") {
  Fixture f;
  const auto ended = f.complete(pin(
      composite({step("a", when("1", "equals", "2")), step("plain", R"("arguments": {"x": "REF:a.deep.down"})"),
                 step("many", R"("parallel_execution": {"iterate_over": "REF:a.list", "child_argument_name": "i"})"),
                 step("joined", R"~("transform_arguments": {"variables": {"list": "REF:a.list"},
                                                                "transforms": {"n": "length(list)", "text": "join(list, ',')"}})~")},
                R"("response_reference_map": {"many": "REF:many.response", "x": "REF:plain.x", "n": "REF:joined.n", "text": "REF:joined.text"})")));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"many", Json::array()}, {"x", nullptr}, {"n", 0}, {"text", ""}});
}

}  // namespace catena::coordinator::test
