// Labels and keys of submissions, as a person has them.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

std::string greeting_file(const Scene& scene) { return scene.define("greeting.tool", greeting()); }

}  // namespace

TEST_CASE("chains are given labels, shown with them, listed and pruned by them") {
  const Scene scene;
  const auto tool = greeting_file(scene);
  REQUIRE(scene.run({"run", tool, "--id", "a", "-p", "name=x", "--label", "team=red", "--label", "stage=prod", "-q"}).code == 0);
  REQUIRE(scene.run({"run", tool, "--id", "b", "-p", "name=x", "--label", "team=blue", "-q"}).code == 0);
  REQUIRE(scene.run({"run", tool, "--id", "c", "-p", "name=x", "-q"}).code == 0);
  CHECK(scene.run({"list", "--label", "team=red", "-o", "name"}).out == "a\n");
  CHECK(scene.run({"list", "--label", "team=*", "-o", "name"}).out == "b\na\n");
  CHECK(scene.run({"list", "--label", "team=*", "--label", "stage=pro?", "-o", "name"}).out == "a\n");
  CHECK(scene.run({"list", "--label", "team=green"}).says("no chains of that kind"));
  const auto listed = json::parse(scene.run({"list", "--label", "stage=prod", "-o", "json"}).out);
  CHECK(listed.at("labels") == json{{"stage", "prod"}, {"team", "red"}});
  CHECK(json::parse(scene.run({"show", "a", "-o", "json"}).out).at("labels") == json{{"stage", "prod"}, {"team", "red"}});
  CHECK(scene.run({"show", "a"}).prints("labels     stage=prod team=red\n"));
  CHECK_FALSE(scene.run({"show", "c"}).prints("labels"));
  CHECK(scene.run({"list", "-o", "wide"}).prints("team=blue"));
  CHECK(scene.run({"store", "stats"}).prints("labels"));
  CHECK(scene.run({"prune", "--older-than", "0s", "--label", "team=red"}).says("removed 1 chain"));
  CHECK(scene.run({"list", "-o", "name"}).out == "c\nb\n");
  CHECK(scene.run({"store", "verify"}).says("all is well"));
  CHECK(scene.run({"run", tool, "-p", "name=x", "--label", "team"}).code == 2);
  CHECK(scene.run({"run", tool, "-p", "name=x", "--label", "te am=x"}).says("cannot be the key of a label"));
  CHECK(scene.run({"run", tool, "-p", "name=x", "--label", "team=a", "--label", "team=b"}).says("given twice"));
  CHECK(scene.run({"run", tool, "-p", "name=x", "--label", "team=*"}).says("cannot have the value"));
  CHECK(scene.run({"list", "-o", "name"}).out == "c\nb\n");
}

TEST_CASE("run with an idempotency key runs once, and shows the same end to who asks again") {
  const Scene scene;
  const auto once = scene.define("once.tool", definition({step("count", scene.tool("count", "echo x >> ran\necho '{\"ok\": true}'\n"))}));
  const Words words{"run", once, "--idempotency-key", "order-17", "-o", "json"};
  const auto first = scene.run(words);
  INFO(first.error);
  REQUIRE(first.code == 0);
  const auto second = scene.run(words);
  CHECK(second.code == 0);
  CHECK(second.says("was submitted with this key before"));
  CHECK(json::parse(second.out).at("chain_id") == json::parse(first.out).at("chain_id"));
  CHECK(json::parse(second.out).at("response") == json::parse(first.out).at("response"));
  CHECK(scene.lines("ran") == 1);
  const auto other = scene.run({"run", once, "--idempotency-key", "order-17", "--label", "team=a"});
  CHECK(other.code == 2);
  CHECK(other.says("submission_conflict"));
  CHECK(other.says("differs in: labels"));
  const auto shown = scene.run({"show", "--idempotency-key", "order-17", "-o", "json"});
  CHECK(json::parse(shown.out).at("chain_id") == json::parse(first.out).at("chain_id"));
  CHECK(scene.run({"show", "--idempotency-key", "order-18"}).code == 4);
  CHECK(scene.run({"show"}).code == 2);
  CHECK(scene.run({"run", once, "--idempotency-key", "order 17"}).code == 2);
}

TEST_CASE("submit with an idempotency key says which chain there is") {
  const Scene scene;
  const auto tool = greeting_file(scene);
  Process coordinator{scene.command({"coordinator", "--listen", "127.0.0.1:0", "--slots", "2", "--port-file", scene.path("port")}),
                      scene.folder() / "coordinator-out", scene.folder() / "coordinator-error"};
  while (!fs::exists(scene.path("port")) && !coordinator.ended()) std::this_thread::yield();
  REQUIRE(fs::exists(scene.path("port")));
  const auto address = "127.0.0.1:" + system_test::read_lines(scene.path("port")).at(0);
  const Words words{"submit", tool, "-p", "name=x", "--idempotency-key", "k", "--label", "team=a", "--cluster", address};
  const auto first = scene.run(words);
  INFO(first.error);
  REQUIRE(first.code == 0);
  const auto second = scene.run(words);
  CHECK(second.out == first.out);
  CHECK(second.says("it is not started again"));
  auto as_json = words;
  as_json.insert(as_json.end(), {"-o", "json"});
  CHECK(json::parse(scene.run(as_json).out).at("submitted_before") == true);
  CHECK(scene.run({"list", "--label", "team=a", "-o", "name", "--cluster", address}).out == first.out);
  CHECK(scene.run({"show", "--idempotency-key", "k", "-o", "name", "--cluster", address}).out == first.out);
  CHECK(scene.run({"submit", tool, "-p", "name=y", "--idempotency-key", "k", "--cluster", address}).says("submission_conflict"));
  coordinator.kill(SIGTERM);
  CHECK(coordinator.wait() == 0);
}

}  // namespace cli_test
