// Workers that join and leave, many at a time: what the coordinator has grows with those that are there, not with those that ever were.
//   CATENA_CHURN  joins and losses (20); from 200 on the coordinator's memory is looked at as well
#include <iostream>

#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

/// The coordinator once nobody is there and everybody's end has been noticed.
Footprint at_rest(Cluster& cluster) {
  const bool empty = eventually(
      milliseconds{60'000}, [&] { return std::ranges::none_of(cluster.nodes(), [](const json& row) { return row.value("state", "") == "open"; }); });
  INFO(cluster.nodes().dump() << cluster.logs());
  REQUIRE(empty);
  // the connections' threads and sockets end a little later than the workers
  auto best = footprint(cluster.coordinator().pid());
  static_cast<void>(eventually(milliseconds{3000}, [&] {
    const auto now = footprint(cluster.coordinator().pid());
    const bool settled = now.descriptors == best.descriptors && now.threads == best.threads;
    best = now;
    return settled;
  }));
  return best;
}

bool flat(std::uint64_t before, std::uint64_t after, std::uint64_t slack) { return after <= before + before / 20 + slack; }

}  // namespace

TEST_CASE("workers that join and leave, again and again, leave nothing behind at the coordinator") {
  const char* asked = std::getenv("CATENA_CHURN");
  const std::size_t joins = asked == nullptr ? 20 : std::stoul(asked);
  const std::size_t at_a_time = joins < 200 ? 5 : 20;
  const std::size_t rounds = std::max<std::size_t>(2, joins / at_a_time);
  Cluster cluster{{.workers = at_a_time, .slots = 1, .tls = false, .loopback = true, .lease_ms = 900, .heartbeat_ms = 300}};
  cluster.start_coordinator();
  std::vector<Footprint> prints;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t worker = 1; worker <= at_a_time; ++worker) cluster.start_worker(worker);
    cluster.wait_ready();
    // every other worker is lost, the others leave
    for (std::size_t worker = 1; worker <= at_a_time; ++worker) cluster.worker(worker).kill(worker % 2 == 1 ? SIGKILL : SIGTERM);
    for (std::size_t worker = 1; worker <= at_a_time; ++worker) {
      REQUIRE(ends_within(cluster.worker(worker), milliseconds{30'000}));
    }
    prints.push_back(at_rest(cluster));
  }
  const auto& early = prints[std::max<std::size_t>(1, rounds / 5) - 1];
  const auto& late = prints.back();
  std::cout << fmt::format("churn: {} joins and losses; coordinator {} -> {} KiB, {} -> {} threads, {} -> {} descriptors\n", rounds * at_a_time,
                           early.rss_kib, late.rss_kib, early.threads, late.threads, early.descriptors, late.descriptors);
  CHECK(flat(early.threads, late.threads, 0));
  // one that is just closing
  CHECK(flat(early.descriptors, late.descriptors, 1));
  if (joins >= 200) CHECK(flat(early.rss_kib, late.rss_kib, 0));
  // and it still works
  cluster.start_worker(1);
  Job job{cluster, {.items = 100}};
  job.submit("after");
  job.finish("after");
}

}  // namespace cluster_test
