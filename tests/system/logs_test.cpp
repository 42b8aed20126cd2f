// What attempts print, seen from a second terminal while they run, and kept when the first one is killed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/system/process.hpp"

namespace system_test {
namespace {

/// A chain of three items whose tool says where it is, and ends when the test has seen that.
struct Printing {
  Printing() {
    folder.write("print.sh",
                 fmt::format(R"(#!/bin/sh
IFS= read -r arguments || :
echo "begins with $arguments" >&2
while ! test -e {}; do sleep 0.02; done
echo "has seen it" >&2
case "$arguments" in *1*) echo "why it failed"; exit 3;; esac
printf '{{}}'
)",
                             (folder / "seen").string()),
                 true);
    const nlohmann::json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + (folder / "print.sh").string()}};
    const nlohmann::json each{{"iterate_over", {0, 1, 2}}, {"child_argument_name", "n"}};
    definition = folder.write(
        "print.tool", nlohmann::json{{"instructions", {{{"execution_id", "each"}, {"parallel_execution", each}, {"tool_definition", tool}}}}}.dump());
    for (const auto* file : {"run-out", "run-error", "logs-out", "logs-error"}) folder.write(file, "");
  }
  [[nodiscard]] Process start(const std::string& name, std::vector<std::string> words, const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder / "data").string()});
    return Process{words, folder / (name + "-out"), folder / (name + "-error"), environment};
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const { return read_lines(folder / (name + "-out")); }
  [[nodiscard]] bool has(const std::string& name, const std::string& line) const {
    const auto all = lines(name);
    return std::find(all.begin(), all.end(), line) != all.end();
  }
  Folder folder;
  fs::path definition;
};

}  // namespace

TEST_CASE("while a run goes on, logs -f in another terminal prints what its tools print, and ends with the chain") {
  Printing scene;
  auto run = scene.start("run", {"run", scene.definition.string(), "--id", "x"});
  // The chain is there as soon as it is listed.
  do {
    auto listed = scene.start("logs", {"show", "x"});
    if (listed.wait() == 0) break;
  } while (!run.ended());
  auto logs = scene.start("logs", {"logs", "x", "-f"});
  const bool live = wait_for_writes(scene.folder / "logs-out", logs, [&] {
    return scene.has("logs", R"(each/0#1: begins with {"n":0})") && scene.has("logs", R"(each/2#1: begins with {"n":2})");
  });
  INFO(read_text(scene.folder / "logs-out") << read_text(scene.folder / "logs-error") << read_text(scene.folder / "run-error"));
  CHECK(live);
  CHECK_FALSE(run.ended());
  scene.folder.write("seen", "");
  CHECK(logs.wait() == 0);
  CHECK(run.wait() == 1);
  for (const auto* item : {"each/0#1", "each/1#1", "each/2#1"}) CHECK(scene.has("logs", std::string{item} + ": has seen it"));
  CHECK(scene.has("logs", "each/1#1 stdout: why it failed"));
  CHECK(scene.lines("logs").size() == 7);
  // Afterwards all of it is there.
  CHECK(scene.start("logs", {"logs", "x", "each/1", "--stdout"}).wait() == 0);
  CHECK(scene.lines("logs") == std::vector<std::string>{"each/1#1 stdout: why it failed"});
  CHECK(scene.start("logs", {"logs", "x", "--tail", "2", "-o", "json"}).wait() == 0);
  CHECK(scene.lines("logs").size() == 2);
}

TEST_CASE("what was printed before a run was killed is there afterwards, and what its next start prints beside it") {
  Printing scene;
  auto run = scene.start("run", {"run", scene.definition.string(), "--id", "x"});
  bool seen = false;
  while (!seen && !run.ended()) {
    static_cast<void>(scene.start("logs", {"logs", "x"}).wait());
    seen = scene.lines("logs").size() == 3;
  }
  run.kill(SIGKILL);
  CHECK(run.wait() == -SIGKILL);
  CHECK(scene.start("logs", {"logs", "x"}).wait() == 0);
  CHECK(scene.lines("logs").size() == 3);
  scene.folder.write("seen", "");
  CHECK(scene.start("run", {"resume", "x"}).wait() == 1);
  CHECK(scene.start("logs", {"logs", "x"}).wait() == 0);
  INFO(read_text(scene.folder / "logs-out"));
  CHECK(scene.has("logs", R"(each/0#1: begins with {"n":0})"));
  CHECK(scene.has("logs", "each/0#2: has seen it"));
  CHECK(scene.lines("logs").size() == 3 + 7);
}

TEST_CASE("what is kept of what tools print is what logs.keep says") {
  const auto [keep, lines] = GENERATE(std::pair{"all", 7U}, std::pair{"failed", 3U}, std::pair{"none", 0U});
  Printing scene;
  scene.folder.write("seen", "");
  CHECK(scene.start("run", {"run", scene.definition.string(), "--id", "x"}, {std::string{"CATENA_LOGS__KEEP="} + keep}).wait() == 1);
  CHECK(scene.start("logs", {"logs", "x"}).wait() == 0);
  INFO(keep << "\n" << read_text(scene.folder / "logs-out"));
  CHECK(scene.lines("logs").size() == lines);
  CHECK((read_text(scene.folder / "logs-error").find("nothing is kept") != std::string::npos) == (lines == 0));
}

}  // namespace system_test
