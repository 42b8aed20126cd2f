// A batch on a cluster of which some items fail: the tool is fixed where it was submitted, and what failed runs again there.
#include "tests/cluster/cluster.hpp"
#include "tests/system/repair_scene.hpp"

namespace cluster_test {
namespace {

using system_test::kBatch;
using system_test::RepairScene;

TEST_CASE("on a cluster retry runs exactly the items that failed, with the tool as it is now, as it had said") {
  Cluster cluster{{.workers = 2, .slots = 4, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready(2);
  const RepairScene scene{cluster.folder()};
  REQUIRE(cluster.ask({"submit", scene.definition(), "--id", "batch"}).code == 0);
  REQUIRE(cluster.ask({"wait", "batch", "-q"}, milliseconds{90'000}).code == 1);
  CHECK(scene.runs() == kBatch);

  scene.fix();
  const auto told = cluster.ask({"retry", "batch", "--failed", "--refresh", "--dry-run", "-o", "json"});
  INFO(told.error);
  REQUIRE(told.code == 0);
  CHECK(json::parse(told.out)["steps"][0]["items"] == json{{"run", 13}, {"of", kBatch}});
  const auto done = cluster.ask({"retry", "batch", "--failed", "--refresh", "-q", "-o", "json"}, milliseconds{90'000});
  INFO(done.error << cluster.logs());
  REQUIRE(done.code == 0);
  CHECK(scene.runs() == kBatch + 13);
  CHECK(scene.ran_twice() == RepairScene::failing());
  RepairScene::check_answer(json::parse(done.out).at("response"));
}

TEST_CASE("on a cluster a step that failed is given a response, and the chain goes on") {
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready(1);
  const auto broken = cluster.folder().write("broken.sh", "#!/bin/sh\nexit 1\n", true);
  const json tool{{"arguments", json::array()}, {"system_event_endpoint", "exec:" + broken.string()}};
  const json definition{{"instructions", json::array({{{"execution_id", "load"}, {"tool_definition", tool}}})},
                        {"response_reference_map", {{"n", "REF:load.n"}}}};
  const auto file = cluster.folder().write("load.tool", definition.dump());
  REQUIRE(cluster.ask({"submit", file.string(), "--id", "c"}).code == 0);
  REQUIRE(cluster.ask({"wait", "c", "-q"}).code == 1);
  const auto wrong = cluster.ask({"skip", "c", "lod", "--with", "{}"});
  CHECK(wrong.code == 2);
  CHECK(wrong.error.find("has no step 'lod'; did you mean 'load'") != std::string::npos);
  const auto done = cluster.ask({"skip", "c", "load", "--with", R"({"n": 7})", "-o", "json"});
  INFO(done.error);
  REQUIRE(done.code == 0);
  CHECK(json::parse(done.out).at("response").at("n") == 7);
}

}  // namespace
}  // namespace cluster_test
