// What `catena tools` lists and describes.
#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("tools lists builtins and the definitions of a folder, with the mistakes counted") {
  const Scene scene;
  fs::create_directory(scene.folder() / "roots");
  scene.define("roots/greeting.tool", greeting());
  scene.write("roots/broken.tool", R"({"instructions": 3})");
  scene.write("roots/unrelated.json", R"({"colour": "red"})");
  const auto listed = scene.run({"tools", "--tools", scene.path("roots")});
  CHECK(listed.code == 0);
  CHECK(listed.prints("builtin:echo"));
  CHECK(listed.prints("/greeting.tool"));
  CHECK(listed.prints("/broken.tool"));
  CHECK(listed.prints("1 error; `catena validate "));
  CHECK_FALSE(listed.prints("unrelated"));
  const auto lines = scene.run({"tools", "-o", "json"});
  CHECK(json::parse(lines.out.substr(0, lines.out.find('\n'))).contains("definition"));
  CHECK(lines.prints(R"("builtin":"echo")"));
}

TEST_CASE("tools tells of each definition its name, its kind and where it is") {
  const Scene scene;
  fs::create_directories(scene.folder() / "roots/tools");
  scene.define("roots/greeting.tool", greeting());
  scene.define("roots/tools/file.tool", scene.tool("say", "echo '{}'", {{"name", "say"}}));
  scene.write("roots/clerk.agent",
              R"({"argument_definitions": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/core/math.tool"}]})");
  const auto listed = scene.run({"tools", "--tools", scene.path("roots")});
  const auto row = [&](const std::string& name) {
    const auto at = listed.out.find("\n" + name + " ");
    REQUIRE(at != std::string::npos);
    std::istringstream words{listed.out.substr(at, listed.out.find('\n', at + 1) - at)};
    std::string kind, path;
    words >> kind >> kind >> path;
    return kind + " " + path;
  };
  CHECK(row("greeting") == "tool /greeting.tool");
  CHECK(row("say") == "exec /tools/file.tool");
  CHECK(row("clerk") == "agent /clerk.agent");
  CHECK(row("math") == "builtin /tools/core/math.tool");
  CHECK(scene.run({"tools", "--tools", scene.path("roots"), "-o", "name"}).prints("\nbuiltin:echo\n"));
  const auto one = json::parse(scene.run({"tools", "say", "-o", "json", "--tools", scene.path("roots")}).out);
  CHECK(one.at("kind") == "exec");
  CHECK(one.at("name") == "say");
  CHECK(one.at("definition") == "/tools/file.tool");
  CHECK(one.at("file") == scene.path("roots/tools/file.tool"));
  CHECK(json::parse(scene.run({"tools", "echo", "-o", "json"}).out).at("kind") == "builtin");
}

TEST_CASE("tools NAME describes one tool: a core tool, a builtin or a definition") {
  const Scene scene;
  fs::create_directory(scene.folder() / "roots");
  scene.define("roots/greeting.tool", greeting());
  const auto listed = scene.run({"tools"});
  CHECK(listed.prints("Calculates"));
  CHECK_FALSE(listed.prints("takes operation: string"));
  for (const std::string name : {"math", "math.tool", "/tools/core/math.tool"}) {
    INFO(name);
    const auto one = scene.run({"tools", name});
    CHECK(one.code == 0);
    CHECK(one.prints("takes operation: string, optional"));
    CHECK(one.prints("gives result: any"));
    CHECK_FALSE(one.prints("builtin:"));
  }
  CHECK(scene.run({"tools", "builtin:math"}).prints("`catena tools /tools/core/math.tool` says what it takes"));
  CHECK(scene.run({"tools", "echo"}).out == "  builtin:echo - returns its arguments\n");
  CHECK(scene.run({"tools", "greeting", "--tools", scene.path("roots")}).prints("takes name: string"));
  const auto unknown = scene.run({"tools", "maht"});
  CHECK(unknown.code == 2);
  CHECK(unknown.says("did you mean 'math'?"));
}

}  // namespace cli_test
