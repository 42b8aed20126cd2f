// kill -9 in the middle of loops, jumps and retries: a sequence goes on at the step where it stood, with state, counters and history.
#include <catch2/catch.hpp>

#include "tests/system/scene.hpp"

namespace system_test {
namespace {

// Goes round three times: an in-order loop that adds up, one that runs its rounds at once, both branches of a parallel step, and a step
// whose retries are used up before its failure is passed over.
std::string rounds(const Folder& folder, const std::string& recorder) {
  folder.write("fails.sh", "#!/bin/sh\n\"$@\" >/dev/null\necho 'not today' >&2\nexit 1\n", true);
  const auto name = recorder.substr(recorder.rfind('/') + 1);  // the tools of each scene record in its own file
  const auto tool = [&](const std::string& called, const std::string& program) {
    folder.write(called + "-" + name + ".tool",
                 Json{{"name", called + "-" + name}, {"additional_arguments", true}, {"system_event_endpoint", "exec:" + program}}.dump());
  };
  tool("record", recorder);
  tool("fails", (folder / "fails.sh").string() + " " + recorder);
  auto text = std::string{R"(
name: rounds
parameters:
  - {name: items, type: list, default: [1, 2, 3, 4]}
  - {name: turns, type: integer, default: 0}
  - {name: total, type: integer, default: 0}
implementation:
  type: composite
  composite:
    steps:
      - tool: record-@
        name: again
        inputs: {turn: "{{ state.turns }}"}
        on_success:
          transform: {turns: "{{ state.turns + 1 }}"}
      - loop:
          over: "{{ state.items }}"
          as: item
          steps:
            - tool: record-@
              name: add
              inputs: {item: "{{ item }}", so_far: "{{ state.total }}"}
              on_success:
                transform: {total: "{{ state.total + item }}"}
      - loop:
          over: "{{ state.items }}"
          as: item
          max_concurrency: 3
          collect: doubled
          steps:
            - tool: record-@
              name: double
              inputs: {item: "{{ item * 2 }}"}
              on_success:
                map_outputs: {got.item: doubled}
      - parallel:
          - tool: record-@
            name: left
            inputs: {side: left}
            on_success: {map_outputs: {got.side: left}}
          - tool: record-@
            name: right
            inputs: {side: right}
            on_success: {map_outputs: {got.side: right}}
      - tool: fails-@
        name: shaky
        on_failure:
          action: retry
          max_retries: 2
          backoff: {initial_interval: 5ms}
          continue_on_max_retries: true
      - tool: record-@
        name: back
        when: "{{ state.turns < 3 }}"
        inputs: {}
        on_success: {next: again}
)"};
  for (auto at = text.find('@'); at != std::string::npos; at = text.find('@', at)) text.replace(at, 1, name);
  return text;
}

/// The message of an error names the tool, which each scene calls by its own file.
void shorten_error(Json& entry) {
  if (entry.contains("error")) entry["error"] = entry["error"].at("code");
}

/// What is the same whatever was killed when: not the times, nor attempts whose worker was lost.
Json story(const Json& response) {
  auto told = response;
  for (auto& result : told["results"]) shorten_error(result);
  told.erase("completed_at");
  told["final_state"].erase("started_at");
  Json history = Json::array();
  for (auto entry : response.at("execution_history")) {
    if (entry.at("status") == "lost") continue;
    for (const auto* member : {"timestamp", "attempt"}) entry.erase(member);
    shorten_error(entry);
    history.push_back(std::move(entry));
  }
  told["execution_history"] = std::move(history);
  return told;
}

}  // namespace

TEST_CASE("a sequence with jumps, loops, branches and retries survives kill -9: state, counters and history are those of a calm run") {
  // A turn: again, 4 + 4 rounds, 2 branches, shaky; and back twice.
  constexpr std::size_t kTasks = 3 * (1 + 4 + 4 + 2 + 1) + 2;
  survive(".yaml", rounds, kTasks, 6, story);
}

TEST_CASE("what a calm run of that sequence leaves is what its definition says") {
  const Folder folder;
  const Scene scene{folder, "calm", ".yaml", rounds};
  auto process = scene.run();
  const auto code = process.wait();
  INFO(scene.errors());
  REQUIRE(code == 0);
  const auto response = scene.response();
  const auto& state = response.at("final_state");
  CHECK(state.at("turns") == 3);
  CHECK(state.at("total") == 30);
  CHECK(state.at("doubled") == Json{2, 4, 6, 8});
  CHECK(state.at("left") == "left");
  CHECK(state.at("right") == "right");
  CHECK(state.at("step_4_retry_count") == 2);
  CHECK(response.at("success") == true);
  CHECK(response.at("steps_failed") == 3);
  CHECK(response.at("steps_executed") == 17);
  std::size_t failed = 0;
  for (const auto& entry : response.at("execution_history")) failed += entry.at("status") == "failed" ? 1 : 0;
  CHECK(failed == 9);
}

}  // namespace system_test
