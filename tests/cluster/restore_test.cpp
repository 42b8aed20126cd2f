// A backup that is made under load, and restored below workers that live on and remember what came after it: over TLS, with the commands that an
// operator has. Chains of the lost life are submitted again under their names with other items, so that a result that is not theirs shows.
//   CATENA_RESTORE_ROUNDS  how many (2)      CATENA_RESTORE_SEED  at which moments (1)
#include <random>

#include "tests/cluster/derived.hpp"

namespace cluster_test {
namespace {

unsigned restore_setting(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::stoul(value));
}

class Restored {
 public:
  Restored(Cluster& cluster, unsigned seed) : cluster_{&cluster}, random_{seed} {}

  void round(int number) {
    const auto known = fmt::format("known-{}", number);
    const auto lost = fmt::format("lost-{}", number);
    const auto backup = cluster_->path(fmt::format("backup-{}", number));
    const Derived of_known{*cluster_, known, 1000 * number};
    const Derived of_lost{*cluster_, lost, 1000 * number + 400};
    const Derived of_next{*cluster_, lost + "-again", 1000 * number + 700};
    submit(known, of_known, Taken::now);
    wait_begun(of_known, random_() % kDerivedItems);
    keep(store({"backup", backup, "--data-dir", cluster_->data()}));
    submit(lost, of_lost, Taken::now);
    wait_begun(of_lost, random_() % (2 * kDerivedItems));

    cluster_->kill_coordinator(SIGKILL);
    fs::remove_all(cluster_->data());
    keep(store({"restore", backup, "--data-dir", cluster_->data()}));
    cluster_->start_coordinator();
    // what was acknowledged before the backup is in it, what came later is not
    submit(known, of_known, Taken::known_already);
    submit(lost, of_next, Taken::now);
    of_known.check(wait(known));
    of_next.check(wait(lost));
    const auto verified = store({"verify", "--data-dir", cluster_->data(), "-o", "json"});
    keep(verified);
    CHECK(json::parse(verified.out).at("problems") == json::array());
    for (std::size_t worker = 1; worker <= 2; ++worker) CHECK(cluster_->worker_is_there(worker));
    CHECK(cluster_->logs().find("storage_rewound") == std::string::npos);
  }

 private:
  enum class Taken { now, known_already };

  [[nodiscard]] Outcome store(const Words& words) const {
    return run(Words{CATENA_BINARY, "store"} + words, cluster_->folder() / "store-out", cluster_->folder() / "store-error");
  }
  void keep(const Outcome& outcome) const {
    INFO(outcome.error << "\n" << cluster_->logs());
    REQUIRE(outcome.code == 0);
  }
  void submit(const std::string& chain, const Derived& what, Taken taken) {
    const auto answer = cluster_->ask({"submit", what.definition.string(), "--id", chain});
    INFO(answer.error << "\n" << cluster_->logs());
    REQUIRE((answer.code == 0) == (taken == Taken::now));
    if (taken == Taken::known_already) REQUIRE(answer.says("chain_exists"));
  }
  void wait_begun(const Derived& what, std::size_t executions) {
    const bool begun = eventually(milliseconds{60'000}, [&] { return what.begun() >= executions; });
    INFO(cluster_->logs());
    REQUIRE(begun);
  }
  json wait(const std::string& chain) {
    const auto answer = cluster_->ask({"wait", chain, "-o", "json"}, milliseconds{60'000});
    INFO("exit code " << answer.code << "\n" << answer.error << "\n" << cluster_->ask({"show", chain}).out << "\n" << cluster_->logs());
    REQUIRE(answer.code == 0);
    return json::parse(answer.out);
  }

  Cluster* cluster_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("a backup that was made under load is restored below workers that live on, and its chains end right") {
  const auto rounds = static_cast<int>(restore_setting("CATENA_RESTORE_ROUNDS", 2));
  const auto seed = restore_setting("CATENA_RESTORE_SEED", 1);
  INFO("seed " << seed);
  Cluster cluster{{.workers = 2, .loopback = true, .lease_ms = 800, .heartbeat_ms = 100, .redial_ms = 200}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready();
  Restored restored{cluster, seed};
  for (int round = 1; round <= rounds; ++round) {
    INFO("round " << round);
    restored.round(round);
  }
}

}  // namespace cluster_test
