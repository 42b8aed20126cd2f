// Two commands on one data directory: one holds it, the other works through it, and whichever is killed, both chains end as if nothing had happened.
#include <optional>

#include "tests/system/scene.hpp"

namespace system_test {
namespace {

constexpr std::size_t kItemsEach = 60;

std::string sixty_items(const Folder& /*folder*/, const std::string& recorder) {
  auto items = Json::array();
  for (std::size_t item = 0; item < kItemsEach; ++item) items.push_back(item);
  const Json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + recorder}};
  const Json each{{"iterate_over", items}, {"child_argument_name", "n"}, {"max_concurrency", 2}};
  return Json{{"instructions", {{{"execution_id", "each"}, {"parallel_execution", each}, {"tool_definition", tool}}}},
              {"response_reference_map", {{"all", "REF:each.response"}}}}
      .dump();
}

/// Somebody who starts a chain, and goes on with it for as long as it has not ended.
class Terminal {
 public:
  Terminal(const Folder& folder, std::string chain, std::string definition, std::string data)
      : chain_{std::move(chain)},
        definition_{std::move(definition)},
        data_{std::move(data)},
        out_{folder / (chain_ + "-out")},
        error_{folder / (chain_ + "-error")} {}

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] Process& process() { return *process_; }
  void start() {
    const std::vector<std::string> words =
        known_ ? std::vector<std::string>{"resume", chain_} : std::vector<std::string>{"run", definition_, "--id", chain_};
    std::vector<std::string> command{CATENA_BINARY};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--data-dir", data_, "-o", "json"});
    process_.emplace(command, out_, error_);
  }
  /// It has ended, by itself or by SIGKILL: what that means for the next start.
  void look() {
    const auto code = process_->wait();
    process_.reset();
    const auto said = read_text(error_);
    INFO(chain_ << " ended with " << code << ": " << said);
    done_ = code == 0;
    if (said.find("chain_exists") != std::string::npos) {
      known_ = true;
    } else if (said.find("chain_not_found") != std::string::npos) {
      known_ = false;
    } else {
      REQUIRE((code == 0 || code == -SIGKILL));
    }
    if (code == -SIGKILL) known_ = true;
  }
  [[nodiscard]] Json response() const { return Json::parse(read_text(out_)).at("response"); }

 private:
  std::string chain_, definition_, data_;
  fs::path out_, error_;
  std::optional<Process> process_;
  bool known_ = false;  // the chain was accepted, or may have been
  bool done_ = false;
};

/// Kills one of the two whenever there were some new effects; answers how often.
int kill_in_turn(Terminal& one, Terminal& other, const Scene& scene, std::uint32_t seed) {
  std::mt19937 random{seed};
  int kills = 0;
  one.start();
  other.start();
  const std::array<Terminal*, 2> both{&one, &other};
  while (!one.done() || !other.done()) {
    auto& victim = *both[one.done() ? 1 : other.done() ? 0 : random() % 2];
    const auto until = scene.effects() + 1 + random() % 8;
    if (wait_for_writes(scene.effects_file(), victim.process(), [&] { return scene.effects() >= until; })) {
      victim.process().kill(SIGKILL);
      ++kills;
    }
    victim.look();
    if (!victim.done()) victim.start();
  }
  return kills;
}

}  // namespace

TEST_CASE("two commands share a data directory, and whichever is killed, both chains end and nothing recorded runs again") {
  int kills = 0;
  for (std::uint32_t seed = 1; kills < 20; ++seed) {
    INFO("seed " << seed);
    const Folder folder;
    const Scene scene{folder, "shared", ".tool", sixty_items};
    const auto definition = (folder / "shared.tool").string();
    Terminal one{folder, "one", definition, scene.data()};
    Terminal other{folder, "other", definition, scene.data()};
    kills += kill_in_turn(one, other, scene, seed);
    CHECK(one.response() == other.response());
    CHECK(one.response().at("all").size() == kItemsEach);
    std::set<std::string> attempts;
    std::set<std::string> tasks;
    for (const auto& line : read_lines(scene.effects_file())) {
      INFO("the same attempt ran twice: " << line);
      CHECK(attempts.insert(line).second);
      tasks.insert(line.substr(0, line.find(' ')));
    }
    CHECK(tasks.size() == 2 * kItemsEach);
  }
}

}  // namespace system_test
