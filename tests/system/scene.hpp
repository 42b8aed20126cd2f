#pragma once
// One chain of the catena binary that is killed and resumed, and the proof of what ran.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "coordinator/recover.hpp"
#include "coordinator/step_actor.hpp"
#include "storage/rocks_kv.hpp"
#include "tests/system/process.hpp"
#include "worker/executors/builtin.hpp"

namespace system_test {

using catena::ChainId;
using catena::Json;
namespace engine = catena::engine;

inline const ChainId kChain{"work"};

/// Takes the program that records each run in a file, and that file; answers the definition: a tool in JSON, or a text in YAML.
using Define = std::function<std::string(const Folder& folder, const std::string& recorder)>;

/// One data directory, one effects file, one definition; runs of it.
class Scene {
 public:
  Scene(const Folder& folder, const std::string& name, const std::string& extension, const Define& define)
      : data_{(folder / (name + "-data")).string()},
        effects_{folder / (name + "-effects")},
        out_{folder / (name + "-out")},
        error_{folder / (name + "-error")} {
    // Writes down that it ran, for whom and which attempt, then answers with its arguments.
    const auto recorder = folder.write("recorder.sh", R"(#!/bin/sh
IFS= read -r arguments || :
printf '%s %s\n' "$CATENA_IDEMPOTENCY_KEY" "$CATENA_ATTEMPT" >> "$1"
printf '{"got":%s}' "$arguments"
)",
                                       true);
    std::ofstream{effects_}.flush();
    definition_ = folder.write(name + extension, define(folder, fmt::format("{} {}", recorder.string(), effects_.string())));
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

/// Kills the chain whenever so many new effects have been seen, and resumes it, until it ends. Answers the number of kills.
inline int run_under_fire(const Scene& scene, std::uint32_t seed, std::size_t most_effects_between_kills) {
  std::mt19937 random{seed};
  int kills = 0;
  while (true) {
    // Once it has an effect, the chain's submission was acknowledged: its journal has begun.
    auto process = scene.effects() > 0 ? scene.resume() : scene.run();
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

/// Attempts granted to each task, by idempotency key, over the chain and all chains that it started; no item is granted after it has
/// settled, none settles twice.
inline std::map<std::string, int> granted_attempts(const Scene& scene) {
  auto kv = catena::storage::RocksKv::open(scene.data(), {.read_only = true});
  REQUIRE(kv);
  const auto package =
      catena::coordinator::recover_package(**kv, catena::coordinator::recover_state(**kv, kChain)->state.package, {catena::worker::builtin_names()});
  REQUIRE(package);
  std::vector<ChainId> chains;
  REQUIRE(catena::storage::list_summaries(**kv, {}, [&](const auto& summary) { return chains.push_back(summary.id), true; }));
  std::map<std::string, int> attempts;
  std::set<std::string> settled;
  for (const auto& chain : chains) {
    const auto definition = catena::coordinator::recover_state(**kv, chain)->state.definition;
    const auto& steps = (*package)->programs.at(definition)->steps;
    const auto key_of = [&](const catena::VisitId& visit, catena::ItemIndex item) {
      return catena::coordinator::task_key(chain, steps[visit.step], visit, item);
    };
    const auto read = catena::coordinator::read_history(**kv, chain, [&](catena::Sequence, const engine::Event& event) {
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
  }
  return attempts;
}

/// Executions are no more than attempts, no attempt ran twice, and these tasks were executed.
inline void check_executions(const Scene& scene, std::size_t tasks) {
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

/// Runs the chain in peace, then under fire until there have been 20 kills: each time it must give what `same` takes from the response.
inline void survive(const std::string& extension, const Define& define, std::size_t tasks, std::size_t most_effects_between_kills,
                    const std::function<Json(const Json&)>& same) {
  const Folder folder;
  const Scene calm{folder, "calm", extension, define};
  auto process = calm.run();
  const auto code = process.wait();
  INFO(calm.errors());
  REQUIRE(code == 0);
  const auto expected = same(calm.response());
  check_executions(calm, tasks);

  // How far a chain gets between a write and the kill is the machine's choice: as many chains as it takes for 20 kills.
  int kills = 0;
  for (std::uint32_t seed = 1; kills < 20; ++seed) {
    INFO("seed " << seed);
    const Scene scene{folder, fmt::format("fire{}", seed), extension, define};
    kills += run_under_fire(scene, seed, most_effects_between_kills);
    CHECK(same(scene.response()) == expected);
    check_executions(scene, tasks);
  }
}

}  // namespace system_test
