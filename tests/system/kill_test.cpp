// kill -9 at any moment: what is recorded is never done again, and the chain ends as if nothing had happened.
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

/// A definition in JSON that runs the recorder.
Define json(const std::function<Json(const Json& tool)>& define) {
  return [define](const Folder&, const std::string& recorder) {
    return define(Json{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + recorder}}).dump();
  };
}

Json whole(const Json& response) { return response; }

Json two_hundred_steps(const Json& tool) {
  Json instructions = Json::array();
  for (int i = 0; i < 200; ++i) {
    Json arguments{{"n", i}};
    if (i > 0) arguments["before"] = fmt::format("REF:s{}.got.n", i - 1);
    instructions.push_back({{"execution_id", fmt::format("s{}", i)}, {"tool_definition", tool}, {"arguments", arguments}});
  }
  return {{"instructions", instructions}, {"response_reference_map", {{"first", "REF:s0.response"}, {"last", "REF:s199.response"}}}};
}

Json two_thousand_items(const Json& tool) {
  const Json range{{"additional_arguments", true}, {"system_event_endpoint", "builtin:range"}};
  return {{"instructions", Json::array({{{"execution_id", "list"}, {"tool_definition", range}, {"arguments", {{"count", 2000}}}},
                                        {{"execution_id", "each"},
                                         {"tool_definition", tool},
                                         {"parallel_execution", {{"iterate_over", "REF:list.items"}, {"child_argument_name", "n"}}}}})},
          {"response_reference_map", {{"all", "REF:each.response"}}}};
}

}  // namespace

TEST_CASE("a chain of 200 exec: steps survives kill -9 at random moments, and nothing recorded runs again") {
  survive(".tool", json(two_hundred_steps), 200, 3, whole);
}

TEST_CASE("a fan-out of 2,000 items survives kill -9 at random moments, and nothing recorded runs again") {
  survive(".tool", json(two_thousand_items), 2000, 130, whole);
}

TEST_CASE("a chain interrupted by Ctrl-C exits with 130, says how to go on, and goes on") {
  const Folder folder;
  const Scene scene{folder, "polite", ".tool", json(two_hundred_steps)};
  auto process = scene.run();
  REQUIRE(wait_for_writes(scene.effects_file(), process, [&] { return scene.effects() >= 5; }));
  process.kill(SIGINT);
  CHECK(process.wait() == 130);
  CHECK(scene.errors().find("catena resume work") != std::string::npos);
  auto resumed = scene.resume();
  const auto code = resumed.wait();
  INFO(scene.errors());
  REQUIRE(code == 0);
  check_executions(scene, 200);
}

#ifdef CATENA_FAILPOINTS
TEST_CASE("a chain killed before and after every single commit ends as if nothing had happened") {
  const auto define = json([](const Json& tool) {
    return Json{{"instructions", Json::array({{{"execution_id", "one"}, {"tool_definition", tool}, {"arguments", {{"n", 1}}}},
                                              {{"execution_id", "each"},
                                               {"tool_definition", tool},
                                               {"dependencies", {"one"}},
                                               {"parallel_execution", {{"iterate_over", {1, 2, 3}}, {"child_argument_name", "n"}}}}})}};
  });
  const Folder folder;
  const Scene calm{folder, "calm", ".tool", define};
  auto process = calm.run();
  REQUIRE(process.wait() == 0);
  for (const std::string point : {"journal.before_sync", "journal.after_sync"}) {
    for (int nth = 1;; ++nth) {
      INFO(point << ":" << nth);
      const Scene scene{folder, fmt::format("{}-{}", point, nth), ".tool", define};
      const std::vector<std::string> armed{fmt::format("CATENA_FAILPOINT_AT={}:{}", point, nth)};
      auto killed = scene.run(armed);
      const auto code = killed.wait();
      if (code == 0) break;
      REQUIRE(code == -SIGKILL);
      auto again = scene.resume();
      // Before the first commit there was no chain: nothing was acknowledged.
      if (again.wait() == 4) {
        REQUIRE(nth == 1);
        continue;
      }
      CHECK(scene.response() == calm.response());
      check_executions(scene, 4);
    }
  }
}
#endif

}  // namespace system_test
