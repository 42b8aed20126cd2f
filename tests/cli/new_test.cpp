// What `catena new` makes works as it is, and it never takes anything away.
#include "cli/scaffold/scaffold.hpp"
#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("what new makes validates, runs and passes its tests") {
  const auto kind = GENERATE(from_range(catena::cli::scaffold_kinds()));
  CAPTURE(kind);
  const Scene scene;
  const auto folder = scene.path("made");
  const auto made = scene.run({"new", kind, "greet", "--dir", folder});
  INFO(made.error);
  REQUIRE(made.code == 0);
  CHECK(std::ranges::count(made.out, '\n') == 4);
  const auto definition = folder + "/greet" + (kind == "tool" ? ".tool" : ".yaml");
  CHECK(made.prints(definition + "\n"));
  CHECK(made.says("catena run " + definition));
  CHECK(made.says("catena test " + folder + "/greet.test.yaml"));
  const auto checked = scene.run({"validate", definition});
  CHECK(checked.code == 0);
  CHECK(checked.error.empty());
  const auto ran = scene.run({"run", definition, "-p", "text=hello", "-q"});
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK(ran.prints("hello"));
  const auto tested = scene.run({"test", folder});
  CHECK(tested.code == 0);
  CHECK(tested.prints("2 tests passed"));
}

TEST_CASE("new refuses to replace anything, and then makes nothing") {
  const Scene scene;
  fs::create_directories(scene.folder() / "tools");
  const auto mine = scene.write("tools/greet_step.tool", "mine");
  const auto refused = scene.run({"new", "tool", "greet", "--dir", scene.path("")});
  CHECK(refused.code == 2);
  CHECK(refused.says("tools/greet_step.tool"));
  CHECK(refused.out.empty());
  CHECK(system_test::read_text(mine) == "mine");
  CHECK_FALSE(fs::exists(scene.folder() / "greet.tool"));
}

TEST_CASE("new takes names that can be a file's and a tool's, and kinds that there are") {
  const Scene scene;
  for (const std::string name : {"", "a/b", "..", "-x", "two words"}) {
    CAPTURE(name);
    const auto refused = scene.run({"new", "tool", "--dir", scene.path("made"), "--", name});
    CHECK(refused.code == 2);
    CHECK_FALSE(fs::exists(scene.folder() / "made"));
  }
  CHECK(scene.run({"new", "song", "x"}).code == 2);
}

}  // namespace cli_test
