// Faults of every kind, drawn from a seed, against chains that run: each chain ends with the right response, and nothing that has settled
// runs again.
//   CATENA_CHAOS_SECONDS  how long (15)      CATENA_CHAOS_SEED  which faults (1)
#include <iostream>
#include <random>

#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

unsigned setting(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::stoul(value));
}

/// What is wrong at one worker, and until when.
struct Trouble {
  enum class What { none, gone, stopped, network } what = What::none;
  Clock::time_point until;
};

class Chaos {
 public:
  Chaos(Cluster& cluster, unsigned seed) : cluster_{&cluster}, random_{seed}, troubles_(cluster.options().workers + 1) {}

  /// One fault, at a worker that has none, or at the coordinator.
  void strike() {
    const auto worker = std::size_t{1} + random_() % cluster_->options().workers;
    if (const auto dice = random_() % 12; dice < 2) return strike_coordinator(dice == 0 ? SIGKILL : SIGTERM);
    auto& trouble = troubles_[worker];
    // of four workers two are left alone
    const auto troubled = std::ranges::count_if(troubles_, [](const Trouble& one) { return one.what != Trouble::What::none; });
    if (trouble.what != Trouble::What::none || troubled >= 2) return;
    // about half of them outlast the lease
    trouble.until = Clock::now() + milliseconds{100 + static_cast<int>(random_() % static_cast<unsigned>(2 * cluster_->options().lease_ms))};
    auto& network = cluster_->network();
    constexpr int kFaults = 9;
    switch (random_() % kFaults) {
      case 0: return end(worker, SIGKILL, "a worker killed"), void(trouble.what = Trouble::What::gone);
      case 1: return end(worker, SIGKILL, "a worker killed and back at once"), cluster_->start_worker(worker);
      case 2: return end(worker, SIGTERM, "a worker drained"), void(trouble.what = Trouble::What::gone);
      case 3:
        count("a worker stopped");
        stopped_.insert(cluster_->worker(worker).pid());
        cluster_->worker(worker).kill(SIGSTOP);
        trouble.what = Trouble::What::stopped;
        return;
      case 4: count("a network cut"), network.cut(worker); break;
      case 5: count("a network that leads only to the coordinator"), network.stall_one_way(worker, Way::to_worker); break;
      case 6: count("a network that leads only to the worker"), network.stall_one_way(worker, Way::to_coordinator); break;
      case 7: count("a slow network"), network.slow(worker); break;
      default: count("a dead connection"), network.half_open(worker); break;
    }
    trouble.what = Trouble::What::network;
  }

  /// Ends the troubles whose time has come, or all.
  void relieve(bool all) {
    for (std::size_t worker = 1; worker < troubles_.size(); ++worker) {
      auto& trouble = troubles_[worker];
      if (trouble.what == Trouble::What::none || (!all && Clock::now() < trouble.until)) continue;
      if (trouble.what == Trouble::What::gone) cluster_->start_worker(worker);
      if (trouble.what == Trouble::What::stopped) cluster_->worker(worker).kill(SIGCONT);
      if (trouble.what == Trouble::What::network) cluster_->network().heal(worker);
      trouble.what = Trouble::What::none;
    }
  }

  [[nodiscard]] const std::set<pid_t>& stopped() const { return stopped_; }
  [[nodiscard]] const std::map<std::string, int>& faults() const { return faults_; }
  [[nodiscard]] milliseconds pause(int least_ms, int most_ms) {
    return milliseconds{least_ms + static_cast<int>(random_() % static_cast<unsigned>(most_ms - least_ms))};
  }

 private:
  void count(const std::string& fault) { ++faults_[fault]; }
  void end(std::size_t worker, int signal, const std::string& fault) {
    count(fault);
    cluster_->kill_worker(worker, signal);
  }
  void strike_coordinator(int signal) {
    count(signal == SIGKILL ? "the coordinator killed and back at once" : "the coordinator asked to end and back at once");
    cluster_->kill_coordinator(signal);
    cluster_->start_coordinator();
  }

  Cluster* cluster_;
  std::mt19937 random_;
  std::vector<Trouble> troubles_;
  std::set<pid_t> stopped_;
  std::map<std::string, int> faults_;
};

}  // namespace

TEST_CASE("whatever happens to nodes and networks, by seed, chains end right and nothing that has settled runs again") {
  const auto seconds = setting("CATENA_CHAOS_SECONDS", 15);
  const auto seed = setting("CATENA_CHAOS_SEED", 1);
  INFO("seed " << seed);
  Cluster cluster{{.drain_timeout_ms = 3000}};
  Job job{cluster, {.items = 1200, .item_ms = 40, .programs = 60}};
  cluster.start_coordinator();
  for (std::size_t worker = 1; worker <= cluster.options().workers; ++worker) cluster.start_worker(worker);
  cluster.wait_ready();

  Chaos chaos{cluster, seed};
  const auto until = Clock::now() + std::chrono::seconds{seconds};
  int chains = 0;
  while (Clock::now() < until) {
    const auto chain = fmt::format("chaos-{}", ++chains);
    job.submit(chain);
    const auto waits = cluster.ask_in_background("waits", {"wait", chain, "-o", "json"});
    // the pause between two faults ends early when the chain does
    while (Clock::now() < until && !ends_within(*waits, chaos.pause(200, 1400))) {
      chaos.relieve(false);
      chaos.strike();
    }
    if (Clock::now() >= until) chaos.relieve(true);
    job.finish(chain, chaos.stopped());
  }
  int all = 0;
  std::string kinds;
  for (const auto& [fault, times] : chaos.faults()) kinds += fmt::format("  {:>4} {}\n", times, fault), all += times;
  std::cout << fmt::format("chaos: seed {}, {} s, {} chains, {} faults\n{}", seed, seconds, chains, all, kinds);
  CHECK(all > 0);
}

}  // namespace cluster_test
