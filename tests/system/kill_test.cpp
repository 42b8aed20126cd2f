// kill -9 at any moment: what is recorded is never done again, and the chain ends as if nothing had happened.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "coordinator/recover.hpp"
#include "storage/rocks_kv.hpp"
#include "tests/system/process.hpp"
#include "worker/executors/builtin.hpp"

using namespace system_test;
using catena::ChainId;
using catena::Json;
namespace engine = catena::engine;

namespace {

// Writes down that it ran, for whom and which attempt, then answers with its arguments.
constexpr auto kRecorder = R"(#!/bin/sh
IFS= read -r arguments || :
printf '%s %s\n' "$CATENA_IDEMPOTENCY_KEY" "$CATENA_ATTEMPT" >> "$1"
printf '{"got":%s}' "$arguments"
)";

const ChainId kChain{"work"};

/// One data directory, one effects file, one definition; runs of it.
class Scene {
 public:
  Scene(const Folder& folder, const std::string& name, const std::function<Json(const Json& tool)>& define)
      : data_{(folder / (name + "-data")).string()}, effects_{folder / (name + "-effects")}, out_{folder / (name + "-out")}, error_{folder / (name + "-error")} {
    const auto recorder = folder.write("recorder.sh", kRecorder, true);
    std::ofstream{effects_}.flush();
    const Json tool{{"additional_arguments", true}, {"system_event_endpoint", fmt::format("exec:{} {}", recorder.string(), effects_.string())}};
    definition_ = folder.write(name + ".tool", define(tool).dump());
  }

  [[nodiscard]] Process run(const std::vector<std::string>& environment = {}) const {
    return Process{{CATENA_BINARY, "run", definition_.string(), "--id", kChain.value, "--data-dir", data_, "-o", "json"}, out_, error_, environment};
  }
  [[nodiscard]] Process resume() const { return Process{{CATENA_BINARY, "resume", kChain.value, "--data-dir", data_, "-o", "json"}, out_, error_}; }
  [[nodiscard]] std::size_t effects() const { return read_lines(effects_).size(); }
  [[nodiscard]] const fs::path& effects_file() const { return effects_; }
  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] Json response() const {
    INFO(read_text(error_));
    const auto answer = Json::parse(read_text(out_));
    REQUIRE(answer.at("status") == "succeeded");
    return answer.at("response");
  }
  [[nodiscard]] std::string errors() const { return read_text(error_); }

 private:
  std::string data_;
  fs::path effects_, out_, error_, definition_;
};

/// Whether the chain's submission was acknowledged: its journal has begun.
bool has_begun(const Scene& scene) { return scene.effects() > 0; }

/// Kills the chain whenever so many new effects have been seen, and resumes it, until it ends. Answers the number of kills.
int run_under_fire(const Scene& scene, std::uint32_t seed, std::size_t most_effects_between_kills) {
  std::mt19937 random{seed};
  int kills = 0;
  while (true) {
    auto process = has_begun(scene) ? scene.resume() : scene.run();
    const auto until = scene.effects() + 1 + random() % most_effects_between_kills;
    if (wait_for_writes(scene.effects_file(), process, [&] { return scene.effects() >= until; })) {
      process.kill(SIGKILL);
      ++kills;
    }
    const auto code = process.wait();
    if (code == 0) return kills;
    INFO(scene.errors());
    REQUIRE(code == -SIGKILL);
  }
}

/// Attempts granted to each task, by idempotency key and attempt number; no item is granted after it has settled, none settles twice.
std::map<std::string, int> granted_attempts(const Scene& scene) {
  auto kv = catena::storage::RocksKv::open(scene.data(), {.read_only = true});
  REQUIRE(kv);
  const auto package = catena::coordinator::recover_package(**kv, catena::coordinator::recover_state(**kv, kChain)->state.package,
                                                             {catena::worker::builtin_names()});
  REQUIRE(package);
  const auto& steps = (*package)->main().steps;
  std::map<std::string, int> attempts;
  std::set<std::string> settled;
  const auto key_of = [&](const catena::VisitId& visit, catena::ItemIndex item) {
    const auto key = fmt::format("{}/{}", kChain.value, steps[visit.step].id);
    return steps[visit.step].each ? fmt::format("{}/{}", key, item) : key;
  };
  const auto read = catena::coordinator::read_history(**kv, kChain, [&](catena::Sequence, const engine::Event& event) {
    if (const auto* granted = std::get_if<engine::Granted>(&event)) {
      granted->items.for_each([&](catena::ItemIndex item) {
        CHECK_FALSE(settled.contains(key_of(granted->visit, item)));
        ++attempts[key_of(granted->visit, item)];
      });
    } else if (const auto* done = std::get_if<engine::ItemsSettled>(&event)) {
      done->ok.for_each([&](catena::ItemIndex item) { CHECK(settled.insert(key_of(done->visit, item)).second); });
    }
    return true;
  });
  REQUIRE(read);
  return attempts;
}

void check_executions(const Scene& scene, std::size_t tasks) {
  const auto attempts = granted_attempts(scene);
  std::map<std::string, std::set<std::string>> executed;  // key to attempt numbers
  for (const auto& line : read_lines(scene.effects_file())) {
    const auto space = line.find(' ');
    INFO("the same attempt ran twice: " << line);
    CHECK(executed[line.substr(0, space)].insert(line.substr(space + 1)).second);
  }
  CHECK(executed.size() == tasks);
  for (const auto& [key, numbers] : executed) {
    INFO(key);
    REQUIRE(attempts.contains(key));
    CHECK(numbers.size() <= static_cast<std::size_t>(attempts.at(key)));
  }
}

void survive(const std::function<Json(const Json& tool)>& define, std::size_t tasks, std::size_t most_effects_between_kills) {
  const Folder folder;
  const Scene calm{folder, "calm", define};
  auto process = calm.run();
  const auto code = process.wait();
  INFO(calm.errors());
  REQUIRE(code == 0);
  REQUIRE(calm.effects() == tasks);

  // How far a chain gets between a write and the kill is the machine's choice: as many chains as it takes for 20 kills.
  int kills = 0;
  for (std::uint32_t seed = 1; kills < 20; ++seed) {
    INFO("seed " << seed);
    const Scene scene{folder, fmt::format("fire{}", seed), define};
    kills += run_under_fire(scene, seed, most_effects_between_kills);
    CHECK(scene.response() == calm.response());
    check_executions(scene, tasks);
  }
}

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

TEST_CASE("a chain of 200 exec: steps survives kill -9 at random moments, and nothing recorded runs again") { survive(two_hundred_steps, 200, 3); }

TEST_CASE("a fan-out of 2,000 items survives kill -9 at random moments, and nothing recorded runs again") { survive(two_thousand_items, 2000, 130); }

TEST_CASE("a chain interrupted by Ctrl-C exits with 130, says how to go on, and goes on") {
  const Folder folder;
  const Scene scene{folder, "polite", two_hundred_steps};
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
  const auto define = [](const Json& tool) {
    return Json{{"instructions", Json::array({{{"execution_id", "one"}, {"tool_definition", tool}, {"arguments", {{"n", 1}}}},
                                              {{"execution_id", "each"},
                                               {"tool_definition", tool},
                                               {"dependencies", {"one"}},
                                               {"parallel_execution", {{"iterate_over", {1, 2, 3}}, {"child_argument_name", "n"}}}}})}};
  };
  const Folder folder;
  const Scene calm{folder, "calm", define};
  auto process = calm.run();
  REQUIRE(process.wait() == 0);
  for (const std::string point : {"journal.before_sync", "journal.after_sync"}) {
    for (int nth = 1;; ++nth) {
      INFO(point << ":" << nth);
      const Scene scene{folder, fmt::format("{}-{}", point, nth), define};
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
