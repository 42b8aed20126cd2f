#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::string kSteps = "steps:\n  - {name: a, tool: keep, inputMapping: {x: $input.x}}\n  - {tool: keep, inputMapping: {y: $prev.x}}\n";

}  // namespace

TEST_CASE("convert prints a tool definition that gives the same result") {
  const Scene scene;
  scene.define("keep.tool", builtin("echo"));
  const auto file = scene.write("p.yaml", kSteps);
  const auto converted = scene.run({"convert", "--to", "tool", file});
  INFO(converted.error);
  CHECK(converted.code == 0);
  const auto tool = json::parse(converted.out);
  CHECK(tool.at("instructions").size() == 2);
  CHECK(tool.at("instructions").at(0).at("tool_definition_path") == "/keep.tool");
  const auto ran = scene.run({"run", scene.write("p.tool", converted.out), "-p", "x=5"});
  CHECK(ran.code == 0);
  CHECK(json::parse(ran.out).at("response") == json::parse(scene.run({"run", file, "-p", "x=5"}).out));
}

TEST_CASE("convert -o writes the file whole, and a converted definition can be put anywhere in the root") {
  const Scene scene;
  fs::create_directories(scene.folder() / "tools");
  fs::create_directories(scene.folder() / "made");
  scene.define("tools/keep.tool", builtin("echo"));
  const auto file = scene.write("p.yaml", kSteps);
  const auto out = scene.path("made/p.tool");
  const auto converted = scene.run({"convert", "--to", "tool", file, "--tools", scene.path("tools"), "-o", out});
  CHECK(converted.code == 0);
  CHECK(converted.out.empty());
  CHECK(scene.run({"validate", out, "--tools", scene.path("tools")}).code == 0);
}

TEST_CASE("what cannot be converted exits with 2, says all of it, and writes nothing") {
  const Scene scene;
  scene.define("keep.tool", builtin("echo"));
  const auto file = scene.write("p.yaml", "inputSchema: {properties: {x: {minimum: 1}, y: {maximum: 2}}}\n" + kSteps);
  const auto out = scene.path("p.tool");
  const auto refused = scene.run({"convert", "--to", "tool", file, "-o", out});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK(refused.says("not_convertible"));
  CHECK(refused.says("'minimum'"));
  CHECK(refused.says("'maximum'"));
  CHECK(refused.says("p.yaml:1:"));
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("convert needs a dialect that it can write") {
  const Scene scene;
  scene.define("keep.tool", builtin("echo"));
  const auto file = scene.write("p.yaml", kSteps);
  CHECK(scene.run({"convert", file}).code == 2);
  CHECK(scene.run({"convert", "--to", "pipeline", file}).code == 2);
  CHECK(scene.run({"convert", "--to", "tool", scene.path("nowhere.yaml")}).code != 0);
}

}  // namespace cli_test
