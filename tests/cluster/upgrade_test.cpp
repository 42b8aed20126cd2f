// A cluster whose nodes are updated one after the other while it works: builds that differ by members and kinds of messages do it together.
//   CATENA_OTHER_BUILD  the program of another build, for the test with the tag [builds], which is not run otherwise
#include <iostream>

#include "tests/cluster/translators.hpp"
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

constexpr int kUpgradeItems = 20'000;

/// Each node is asked to end and started again, each at another moment of the fan-out; the program of its next start is set before.
void restart_in_turn(Cluster& cluster, const Job& job, const std::vector<std::size_t>& nodes, const std::string& program) {
  std::size_t begun = job.executions().size();
  for (const auto node : nodes) {
    begun = std::min<std::size_t>(begun + 2000, kUpgradeItems);
    job.wait_begun(begun);
    cluster.set_program(node, program);
    if (node == 0) {
      cluster.kill_coordinator(SIGTERM);
      cluster.start_coordinator();
    } else {
      cluster.kill_worker(node, SIGTERM);
      cluster.start_worker(node);
    }
  }
  cluster.wait_ready();
}

void start_all(Cluster& cluster) {
  cluster.start_coordinator();
  for (std::size_t worker = 1; worker <= cluster.options().workers; ++worker) cluster.start_worker(worker);
  cluster.wait_ready();
}

}  // namespace

TEST_CASE("nodes and clients whose messages have more members and kinds work together, whoever is started again") {
  Cluster cluster{{.workers = 3, .tls = false, .network = [](std::size_t workers) { return std::make_unique<Translators>(workers); }}};
  const auto& network = dynamic_cast<Translators&>(cluster.network());
  Job job{cluster, {.items = kUpgradeItems, .item_ms = 2, .programs = 50}};
  start_all(cluster);
  job.submit("work");
  restart_in_turn(cluster, job, {1, 2, 0, 3}, CATENA_BINARY);
  job.finish("work");
  for (std::size_t node = 0; node <= cluster.options().workers; ++node) CHECK(network.translated(node) > 10);
}

TEST_CASE("two builds work together, workers first or the coordinator first, forth and back", "[.][builds]") {
  const char* other = std::getenv("CATENA_OTHER_BUILD");
  REQUIRE(other != nullptr);
  const std::vector<std::size_t> order = GENERATE(std::vector<std::size_t>{1, 2, 3, 0}, std::vector<std::size_t>{0, 1, 2, 3});
  Cluster cluster{{.workers = 3}};
  Job job{cluster, {.items = kUpgradeItems, .item_ms = 2, .programs = 50}};
  start_all(cluster);
  for (const auto& program : {std::string{other}, std::string{CATENA_BINARY}}) {
    const auto chain = program == other ? "forth" : "back";
    job.submit(chain);
    restart_in_turn(cluster, job, order, program);
    job.finish(chain);
    std::cout << fmt::format("builds: {} first, {}: {} executions so far\n", order.front() == 0 ? "the coordinator" : "workers", chain,
                             job.executions().size());
  }
}

}  // namespace cluster_test
