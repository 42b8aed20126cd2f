// Forks, and epochs that are over, as a person has them.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("a fork runs from the step that is named, and leaves its source and each of its epochs as they were") {
  const Scene scene;
  const auto looks = scene.tool("looks", "echo x >>runs\ntest -e there || exit 3\necho '{\"found\": true}'\n");
  const auto tool = scene.define(
      "find.tool", definition({step("first", builtin("echo"), {{"arguments", {{"a", 1}}}}), step("look", looks, {{"dependencies", {"first"}}})},
                              {{"response_reference_map", {{"found", "REF:look.found"}}}}));
  CHECK(scene.run({"run", tool, "--id", "one", "-q"}).code == 1);
  scene.write("there", "");
  const auto preview = scene.run({"fork", "one", "--at", "look", "--dry-run"});
  CHECK(preview.code == 0);
  CHECK(preview.prints("first  is shared"));
  CHECK(scene.lines("runs") == 1);
  const auto forked = scene.run({"fork", "one", "--at", "look", "--id", "two", "-q"});
  CHECK(forked.code == 0);
  CHECK(json::parse(forked.out).at("found") == true);
  CHECK(scene.lines("runs") == 2);
  CHECK(scene.run({"show", "two"}).prints("forked     from one, up to its event "));
  CHECK(json::parse(scene.run({"show", "two", "-o", "json"}).out).at("forked_from").at("chain_id") == "one");
  CHECK(json::parse(scene.run({"show", "one", "-o", "json"}).out).at("status") == "failed");
  CHECK(scene.run({"retry", "one", "-q"}).code == 0);
  CHECK(scene.run({"show", "one"}).prints("succeeded"));
  CHECK(scene.run({"show", "two", "--epoch", "1"}).prints("at the end of epoch 1: failed"));
  CHECK(scene.run({"show", "two", "--epoch", "2"}).prints("at the end of epoch 2: succeeded"));
  CHECK(scene.run({"show", "one", "--epoch", "1"}).prints("at the end of epoch 1: failed"));
  CHECK(scene.run({"store", "verify"}).says("all is well"));
}

TEST_CASE("a fork that cannot be says why, and what could be named instead") {
  const Scene scene;
  CHECK(scene.run({"run", scene.define("greeting.tool", greeting()), "-p", "name=x", "--id", "one", "-q"}).code == 0);
  const auto nowhere = scene.run({"fork", "one"});
  CHECK(nowhere.code == 2);
  CHECK(nowhere.says("--at"));
  const auto behind = scene.run({"fork", "one", "--seq", "999"});
  CHECK(behind.code == 2);
  CHECK(behind.says("catena history one"));
  CHECK(scene.run({"fork", "one", "--at", "nothing"}).code == 2);
  CHECK(scene.run({"fork", "nobody", "--at", "say"}).code == 4);
  CHECK(scene.run({"list", "-o", "name"}).out == "one\n");
}

}  // namespace cli_test
