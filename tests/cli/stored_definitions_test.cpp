// `catena definitions`: what is kept in a data directory, who finds it, and how each verb ends.
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::string kKeptDouble = R"({"description": "twice", "arguments": [{"name": "n", "type_name": "integer", "required": true}],
  "instructions": [{"execution_id": "m", "tool_definition_path": "/tools/core/math.tool",
                    "arguments": {"operation": "multiply", "a": 2, "b": "REF:arguments.n"}}]})";

}  // namespace

TEST_CASE("a definition is put, listed, shown, run by its name and removed") {
  const Scene scene;
  const auto file = scene.write("double.tool", kKeptDouble);
  CHECK(scene.run({"definitions", "put", file, "--check"}).code == 0);
  CHECK(scene.run({"definitions", "put", file, "team/double"}).out == "team/double v1\n");
  CHECK(scene.run({"definitions", "put", file, "team/double"}).out == "team/double v1\n");
  const auto listed = json::parse(scene.run({"definitions", "list", "-o", "json"}).out);
  CHECK(listed.at("name") == "team/double");
  CHECK(listed.at("description") == "twice");
  CHECK(listed.at("dialect") == "tool");
  CHECK(scene.run({"definitions", "list", "-o", "name"}).out == "team/double\n");
  CHECK(scene.run({"definitions", "show", "team/double"}).out == kKeptDouble + "\n");
  CHECK(json::parse(scene.run({"definitions", "show", "team/double", "-o", "json"}).out).at("versions").size() == 1);

  const auto ran = scene.run({"run", "team/double", "-p", "n=21", "-o", "json"});
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json::parse(ran.out).at("response").at("m").at("result") == 42);
  // another calls it by its path
  const auto caller = scene.define(
      "caller.tool", {{"instructions", {{{"execution_id", "d"}, {"tool_definition_path", "/team/double.tool"}, {"arguments", {{"n", 4}}}}}}});
  const auto called = scene.run({"run", caller, "-o", "json"});
  INFO(called.error);
  CHECK(called.code == 0);

  CHECK(scene.run({"definitions", "rm", "team/double", "--if-version", "v2"}).code == 1);
  CHECK(scene.run({"definitions", "rm", "team/double", "--if-version", "v1"}).code == 0);
  CHECK(scene.run({"definitions", "rm", "team/double"}).code == 4);
  CHECK(scene.run({"definitions", "show", "team/double"}).code == 4);
  CHECK(scene.run({"definitions", "show", "team/double", "--version", "v1"}).out == kKeptDouble + "\n");
  const auto gone = scene.run({"run", "team/double", "-p", "n=21"});
  CHECK(gone.code == 2);
}

TEST_CASE("what is wrong with a definition is told at its place in the file, and nothing is stored") {
  const Scene scene;
  const auto wrong = scene.write("wrong.tool", "{\"instructions\": [\n  {\"execution_id\": \"a\", \"tool_definition_path\": \"/ecko.tool\"}]}");
  const auto put = scene.run({"definitions", "put", wrong});
  CHECK(put.code == 2);
  CHECK(put.says(wrong + ":2:"));
  CHECK(put.says("definition_not_found"));
  const auto program = scene.define("runs.tool", {{"additional_arguments", true}, {"system_event_endpoint", "exec:/bin/true"}});
  CHECK(scene.run({"definitions", "put", program}).says("program_not_found"));
  const auto file = scene.write("double.tool", kKeptDouble);
  CHECK(scene.run({"definitions", "put", file, "../double"}).code == 2);
  CHECK(scene.run({"definitions", "put", file, "--if-version", "v1"}).code == 1);
  CHECK(scene.run({"definitions", "put", file, "--if-version", "new"}).out == "double v1\n");
  CHECK(scene.run({"definitions", "put", file, "--if-version", "new"}).says("version_conflict"));
  CHECK(scene.run({"fs", "put", file, "/.definitions/double"}).code == 2);
  CHECK(scene.run({"fs", "rm", "-r", "/"}).code == 0);
  CHECK(scene.run({"definitions", "list", "-o", "name"}).out == "double\n");
}

}  // namespace cli_test
