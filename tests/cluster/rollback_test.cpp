// A data directory that is put back to an older copy while workers live, who remember what came after it: the coordinator refuses, or lets
// everything of the lost life go; no chain ends with a result of that life. Chains have the names in the new life that they had in the lost
// one, and other items: a result that is not its own shows.
//   CATENA_ROLLBACK_ROUNDS  how many (2)      CATENA_ROLLBACK_SEED  at which moments (1)
#include <iostream>
#include <random>

#include "tests/cluster/derived.hpp"

namespace cluster_test {
namespace {

unsigned rollback_setting(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::stoul(value));
}

class Rollback {
 public:
  Rollback(Cluster& cluster, unsigned seed) : cluster_{&cluster}, random_{seed} {}

  void round(int number) {
    const auto known = fmt::format("known-{}", number);
    const auto lost = fmt::format("lost-{}", number);
    const Derived of_known{*cluster_, known, 1000 * number};
    const Derived of_lost{*cluster_, lost, 1000 * number + 400};
    const Derived of_next{*cluster_, lost + "-again", 1000 * number + 700};
    submit(known, of_known);
    wait_begun(of_known, random_() % kDerivedItems);
    copy(random_() % 2 == 0);
    submit(lost, of_lost);
    wait_begun(of_lost, random_() % (2 * kDerivedItems));

    cluster_->kill_coordinator(SIGKILL);
    fs::remove_all(cluster_->data());
    fs::rename(older(), cluster_->data());
    accepting_ = false;
    starts_ = 0;
    start();
    // what was acknowledged before the copy is in it, what came later is not
    CHECK(submit(known, of_known) == Submitted::known_already);
    CHECK(submit(lost, of_next) == Submitted::now);
    of_known.check(wait(known));
    of_next.check(wait(lost));
    (accepting_ ? refused : went_on) += 1;
  }

  int refused = 0, went_on = 0;

 private:
  enum class Submitted { now, known_already };
  [[nodiscard]] std::string older() const { return cluster_->path("older"); }

  /// As a backup of a coordinator that was killed, or as the image of a machine that runs.
  void copy(bool of_a_running_one) {
    if (of_a_running_one) {
      stop();
    } else {
      cluster_->kill_coordinator(SIGKILL);
    }
    fs::copy(cluster_->data(), older(), fs::copy_options::recursive);
    if (of_a_running_one) {
      cluster_->coordinator().kill(SIGCONT);
    } else {
      cluster_->start_coordinator();
    }
  }
  /// Returns once no thread of it runs.
  void stop() {
    const auto& process = cluster_->coordinator();
    process.kill(SIGSTOP);
    siginfo_t what{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(process.pid()), &what, WSTOPPED | WNOWAIT) == 0);
    REQUIRE(what.si_code == CLD_STOPPED);
  }

  void start() {
    const bool listens = cluster_->coordinator_starts(accepting_ ? Words{"CATENA_STORAGE__ACCEPT_REWOUND=true"} : Words{});
    ++starts_;
    if (!listens) look_after_coordinator();
  }
  /// A refusal has words, is the same at each start until an operator accepts the loss, and no chain is set aside for it.
  void look_after_coordinator() {
    if (!cluster_->coordinator().ended()) return;
    // the first time more often than a chain may be there when the process ends uncleanly
    const int refusals = refused == 0 ? 3 : 1;
    INFO(cluster_->logs());
    REQUIRE_FALSE(accepting_);
    REQUIRE(cluster_->coordinator().wait() == 1);
    REQUIRE(cluster_->logs().find("storage_rewound") != std::string::npos);
    accepting_ = starts_ >= refusals;
    start();
  }

  Submitted submit(const std::string& chain, const Derived& what) {
    Outcome answer;
    const bool taken = eventually(milliseconds{60'000}, [&] {
      look_after_coordinator();
      answer = cluster_->ask({"submit", what.definition.string(), "--id", chain});
      return answer.code == 0 || answer.says("chain_exists");
    });
    INFO(answer.error << "\n" << cluster_->logs());
    REQUIRE(taken);
    return answer.code == 0 ? Submitted::now : Submitted::known_already;
  }
  void wait_begun(const Derived& what, std::size_t executions) {
    const bool begun = eventually(milliseconds{60'000}, [&] { return what.begun() >= executions; });
    INFO(cluster_->logs());
    REQUIRE(begun);
  }
  json wait(const std::string& chain) {
    Outcome answer;
    const bool ended = eventually(milliseconds{60'000}, [&] {
      look_after_coordinator();
      answer = cluster_->ask({"wait", chain, "-o", "json"}, milliseconds{5000});
      return !answer.out.empty() && json::parse(answer.out, nullptr, false).value("status", "") != "running";
    });
    INFO("exit code " << answer.code << "\n" << answer.error << "\n" << cluster_->ask({"show", chain}).out << "\n" << cluster_->logs());
    REQUIRE(ended);
    REQUIRE(answer.code == 0);
    return json::parse(answer.out);
  }

  Cluster* cluster_;
  std::mt19937 random_;
  bool accepting_ = false;
  int starts_ = 0;
};

}  // namespace

TEST_CASE("a store that is put back while workers live is refused, or what they have of the lost life is let go of") {
  const auto rounds = static_cast<int>(rollback_setting("CATENA_ROLLBACK_ROUNDS", 2));
  const auto seed = rollback_setting("CATENA_ROLLBACK_SEED", 1);
  INFO("seed " << seed);
  Cluster cluster{{.workers = 2, .tls = false, .loopback = true, .lease_ms = 800, .heartbeat_ms = 100, .redial_ms = 200}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready();
  Rollback rollback{cluster, seed};
  for (int round = 1; round <= rounds; ++round) {
    INFO("round " << round);
    rollback.round(round);
  }
  std::cout << fmt::format("rollback: seed {}, {} rounds: {} refused first, {} went on\n", seed, rounds, rollback.refused, rollback.went_on);
  CHECK(rollback.refused > 0);
  CHECK(cluster.worker_is_there(1));
  CHECK(cluster.worker_is_there(2));
}

}  // namespace cluster_test
