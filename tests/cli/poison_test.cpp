// A definition that starts itself twice without end, and goes on when that fails, at a coordinator with little memory.
#include <catch2/catch.hpp>

#include <chrono>
#include <memory>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

constexpr std::size_t kMemoryBytes = 512UL << 20U;

/// A coordinator that runs its own attempts and may use 512 MiB.
class SmallCoordinator : public Scene {
 public:
  SmallCoordinator() {
    Words words{"/usr/bin/env", "CATENA_COORDINATOR__MEMORY_MAX=" + std::to_string(kMemoryBytes)};
    for (auto& word : command({"coordinator", "--listen", "127.0.0.1:0", "--slots", "4", "--port-file", path("port")})) words.push_back(word);
    process_ = std::make_unique<Process>(words, folder() / "coordinator-out", folder() / "coordinator-error");
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!fs::exists(path("port")) && !process_->ended() && std::chrono::steady_clock::now() < until) ::poll(nullptr, 0, 20);
    INFO(system_test::read_text(folder() / "coordinator-error"));
    REQUIRE(fs::exists(path("port")));
    address_ = "127.0.0.1:" + system_test::read_lines(folder() / "port").front();
  }
  [[nodiscard]] Process& process() { return *process_; }
  [[nodiscard]] Outcome at(Words words) const {
    words.insert(words.end(), {"--cluster", address_});
    return run(words);
  }
  /// Of the chain that starts itself.
  [[nodiscard]] std::string status() const {
    const auto shown = at({"show", "poison", "-o", "json"});
    INFO(shown.error);
    REQUIRE(shown.code == 0);
    return json::parse(shown.out).at("status");
  }
  /// The most that the process had in memory, in bytes.
  [[nodiscard]] std::size_t peak_bytes() const {
    for (const auto& line : system_test::read_lines("/proc/" + std::to_string(process_->pid()) + "/status")) {
      if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
    }
    return 0;
  }

 private:
  std::unique_ptr<Process> process_;
  std::string address_;
};

}  // namespace

TEST_CASE("a chain that starts itself twice without end does not take the coordinator with it") {
  SmallCoordinator coordinator;
  const auto self = coordinator.path("poison.tool");
  const json always{{"conditions", json::array({{{"param", 1}, {"operator", "equals"}, {"value", 1}}})}};
  const auto call = [&](const std::string& id) {
    json step{{"execution_id", id}, {"tool_definition_path", "poison.tool"}, {"on_failure", "continue"}};
    step.update(always);
    return step;
  };
  coordinator.define("poison.tool", definition({call("a"), call("b")}));
  const auto submitted = coordinator.at({"submit", self, "--id", "poison"});
  INFO(submitted.error);
  REQUIRE(submitted.code == 0);

  // It grows to its bound; meanwhile others go on.
  const auto greeted = coordinator.define("g.tool", greeting());
  for (int chain = 0; chain < 5; ++chain) {
    const auto other = coordinator.at({"run", greeted, "-p", "name=Ada", "-q"});
    INFO(other.error);
    CHECK(other.code == 0);
  }
  CHECK_FALSE(coordinator.process().ended());

  // By itself it does not end, so that what ends it is the cancel, which does not wait for what it started.
  CHECK(coordinator.status() == "running");
  const auto cancelled = coordinator.at({"cancel", "poison"});
  INFO(cancelled.error << cancelled.out);
  CHECK(cancelled.code == 0);
  CHECK(coordinator.status() == "cancelled");
  CHECK(coordinator.at({"run", greeted, "-p", "name=Ada", "-q"}).code == 0);
  CHECK_FALSE(coordinator.process().ended());
  CHECK(coordinator.peak_bytes() < kMemoryBytes);
}

}  // namespace cli_test
