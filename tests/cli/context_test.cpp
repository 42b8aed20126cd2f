// --context: what is recorded of it, and who gets it.
#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("the context of a run is handed to its tools, and shown with the chain") {
  const Scene scene;
  const auto file = scene.define(
      "c.tool", definition({step("see", scene.tool("see", R"(printf '{"seen": %s}' "${CATENA_CONTEXT:-null}")")),
                            step("below", definition({step("see", scene.tool("see", R"(printf '{"seen": %s}' "${CATENA_CONTEXT:-null}")"))}))}));
  const auto done = scene.run({"run", file, "--id", "c", "-o", "json", "--context", R"({"user_id": "ann", "case": 1})", "--context", "case=17"});
  INFO(done.error);
  REQUIRE(done.code == 0);
  const json context{{"user_id", "ann"}, {"case", 17}};
  CHECK(json::parse(done.out).at("response") == json{{"see", {{"seen", context}}}, {"below", {{"see", {{"seen", context}}}}}});
  CHECK(json::parse(scene.run({"show", "c", "-o", "json"}).out).at("context") == context);
  CHECK(scene.run({"show", "c"}).prints(R"(context    {"case":17,"user_id":"ann"})"));
  const auto without = scene.run({"run", file, "--id", "d", "-o", "json"});
  CHECK(json::parse(without.out).at("response").at("see").at("seen").is_null());
  CHECK_FALSE(json::parse(scene.run({"show", "d", "-o", "json"}).out).contains("context"));
}

TEST_CASE("a context that is too long is refused before there is a chain") {
  const Scene scene;
  const auto file = scene.define("g.tool", greeting());
  const auto refused = scene.run({"run", file, "-p", "name=a", "--context", "note=" + std::string(8000, 'x')});
  CHECK(refused.code == 2);
  CHECK(refused.says("document_too_large"));
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("what a definition requires of the context is told by validate, and a run without it is refused") {
  const Scene scene;
  const auto file = scene.write("c.yaml", R"(name: guarded
policy: {requires: [casefile_id]}
implementation:
  type: composite
  composite:
    steps:
      - {tool: math, inputs: {operation: add, a: 1, b: 2}}
)");
  const auto checked = scene.run({"validate", "-v", file});
  CHECK(checked.code == 0);
  CHECK(checked.says("has to give 'casefile_id' with --context; 'guarded' requires it"));
  CHECK(checked.says("'math' is builtin:/tools/core/math.tool"));
  const auto refused = scene.run({"run", file, "--context", "user_id=ann"});
  CHECK(refused.code == 2);
  CHECK(refused.says("policy_violation"));
  CHECK(refused.says("--context casefile_id="));
  CHECK_FALSE(scene.has_data());
  CHECK(scene.run({"run", file, "--context", "casefile_id=17"}).code == 0);
}

}  // namespace cli_test
