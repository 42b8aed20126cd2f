// Core tools as a chain has them, through the binary.
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

json call(const std::string& id, const std::string& tool, const json& arguments, const json& more = json::object()) {
  json step{{"execution_id", id}, {"tool_definition_path", "/tools/core/" + tool + ".tool"}, {"arguments", arguments}};
  step.update(more);
  return step;
}

/// The response of a chain.
json response_of(const Outcome& outcome) {
  INFO(outcome.out << outcome.error);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("core tools feed each other in a chain") {
  const Scene scene;
  const auto chain = scene.define("chain.tool", definition({call("sum", "math", {{"operation", "sum"}, {"values", "REF:arguments.numbers"}}),
                                                            call("pause", "wait", {{"duration", "5ms"}}, {{"dependencies", {"sum"}}}),
                                                            call("text", "render_template",
                                                                 {{"template", "{{ total }} after {{ waited }} ms"},
                                                                  {"variables", {{"total", "REF:sum.result"}, {"waited", "REF:pause.waited_ms"}}}})},
                                                           {{"arguments", {{{"name", "numbers"}, {"type_name", "list"}, {"required", true}}}},
                                                            {"response_reference_map", {{"text", "REF:text.text"}}}}));
  CHECK(response_of(scene.run({"run", chain, "-q", "-p", "numbers=[40, 2]"})) == json{{"text", "42 after 5 ms"}});
}

TEST_CASE("the error of fail is what its author wrote, for a person and for a condition") {
  const Scene scene;
  const json wrong{{"message", "the order has no items"}, {"code", "argument_missing"}, {"details", {{"order", 7}}}};
  const auto plain = scene.run({"run", scene.define("plain.tool", definition({call("stop", "fail", wrong)})), "-q"});
  CHECK(plain.code == 1);
  CHECK(plain.says("the order has no items"));
  const auto handled =
      scene.define("handled.tool",
                   definition({call("stop", "fail", wrong),
                               call("tell", "render_template",
                                    {{"template", "{{ error.code }}, order {{ error.details.order }}"}, {"variables", {{"error", "REF:stop.error"}}}},
                                    {{"conditions", {{{"param", "REF:stop.status"}, {"operator", "equals"}, {"value", "failed"}}}}})},
                              {{"response_reference_map", {{"text", "REF:tell.text"}}}}));
  CHECK(response_of(scene.run({"run", handled, "-q"})) == json{{"text", "argument_missing, order 7"}});
}

TEST_CASE("llm_text without settings says which are missing, and takes them from the environment") {
  const Scene scene;
  const Words ask{"run", "/tools/core/llm_text.tool", "-q", "-p", "prompt=hello"};
  const auto missing = scene.run(ask);
  CHECK(missing.code == 1);
  CHECK(missing.says("set llm.base_url"));
  const auto forbidden = scene.shell("env CATENA_LLM__BASE_URL=http://169.254.169.254/v1 CATENA_LLM__MODEL=m \"$@\"", ask);
  CHECK(forbidden.code == 1);
  CHECK(forbidden.says("address_refused"));
  CHECK(scene.shell("env CATENA_LLM__API_KEY_FILE=/run/key \"$@\"", {"config"}).prints("api_key_file: \"/run/key\""));
}

}  // namespace cli_test
