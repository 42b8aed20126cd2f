#pragma once
// Definitions that the screens are about.
#include "tests/cli/screens.hpp"

namespace cli_test {

/// shares.tool divides by nothing once, and bears it; order.tool fails; greetings.tool has child chains; broken.tool is refused.
inline void define_all(const Scene& scene) {
  const auto divide =
      definition({step("numbers", builtin("range"), {{"arguments", {{"count", 6}}}}),
                  step("shares", builtin("math"),
                       {{"arguments", {{"operation", "divide"}, {"a", 60}}},
                        {"parallel_execution", {{"iterate_over", "REF:numbers.items"}, {"child_argument_name", "b"}, {"tolerated_failures", 3}}}})},
                 {{"name", "shares"}});
  const auto wrong =
      definition({step("check", builtin("raise"), {{"arguments", {{"message", "the order has no items \x1b[2J"}, {"code", "argument_missing"}}}}),
                  step("send", builtin("echo"), {{"dependencies", {"check"}}})},
                 {{"name", "order"}});
  const auto nested = definition({step("each",
                                       definition({step("say", builtin("echo"), {{"arguments", {{"text", "REF:arguments.name"}}}})},
                                                  {{"name", "gruß"}, {"arguments", {{{"name", "name"}, {"type_name", "string"}}}}}),
                                       {{"parallel_execution", {{"iterate_over", {"Ada", "Grace"}}, {"child_argument_name", "name"}}}})},
                                 {{"name", "日本語の挨拶"}});
  scene.define("shares.tool", divide);
  scene.define("order.tool", wrong);
  scene.define("greetings.tool", nested);
  scene.define("greeting.tool", greeting());
  scene.define("create_event.tool", builtin("echo"));
  const auto part = [](const std::string& id, const std::string& name) {
    return json{{"id", id}, {"tools", {"create_event"}}, {"instruction", "create it"}, {"parameters", {{"create_event", {{"name", name}}}}}};
  };
  scene.define("plan.json", {{"steps", {part("1", "kick-off"), part("2", "review")}}});
  scene.write("broken.tool", "{\"instructions\": [{\"execution_id\": \"a\", \"tool_definition_path\": \"/tools/core/maht.tool\"}]}\n");
  scene.write("notes.txt", "milk\neggs\n");
}

}  // namespace cli_test
