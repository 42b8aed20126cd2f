// What can happen to a cluster during a fan-out of 20,000 items, with real processes: the response is right and in order, no settled item
// runs again, there are no more executions than attempts, and what a worker had is given to others within a lease.
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

/// A cluster with a fan-out under way.
struct Scene {
  explicit Scene(ClusterOptions options = {}, Work work = {.items = 20'000, .programs = 200}) : cluster{std::move(options)}, job{cluster, work} {
    cluster.start_coordinator();
    for (std::size_t worker = 1; worker <= cluster.options().workers; ++worker) cluster.start_worker(worker);
    cluster.wait_ready();
    job.submit("work");
    job.wait_begun(1000);
  }
  [[nodiscard]] milliseconds lease() const { return milliseconds{cluster.options().lease_ms}; }

  Cluster cluster;
  Job job;
};

/// The coordinator gave the worker up, and no later than a lease after it fell silent, by its own record; `slack` is for a machine that
/// does much else.
void check_recovery(Scene& scene, std::size_t worker, std::int64_t silent_since) {
  const auto journal = scene.job.journal("work");
  const std::int64_t slack = scene.cluster.options().lease_ms;
  std::size_t losses = 0;
  for (const auto& loss : journal.losses) {
    if (loss.worker != Cluster::worker_name(worker)) continue;
    ++losses;
    CHECK(loss.at >= silent_since);
    CHECK(loss.at - silent_since <= scene.cluster.options().lease_ms + slack);
  }
  CHECK(losses > 0);
}

/// Waits until the coordinator has no such worker, or one that it does not give orders to.
void wait_given_up(Scene& scene, std::size_t worker) {
  const bool given_up = eventually(scene.lease() * 10, [&] {
    const auto row = scene.cluster.node(Cluster::worker_name(worker));
    return row.is_null() || row.value("state", "") == "lost" || row.value("state", "") == "away";
  });
  INFO(scene.cluster.nodes().dump() << scene.cluster.logs());
  REQUIRE(given_up);
}

}  // namespace

TEST_CASE("a worker that is killed loses what it ran, and others run it within a lease") {
  Scene scene;
  const auto killed_at = wall_ms();
  scene.cluster.kill_worker(2, SIGKILL);
  scene.job.finish("work");
  check_recovery(scene, 2, killed_at);
}

TEST_CASE("a worker that is killed and comes back at once under its name is given up at once, and works again") {
  Scene scene{{.lease_ms = 20'000, .heartbeat_ms = 1000}};
  const auto killed_at = wall_ms();
  scene.cluster.kill_worker(2, SIGKILL);
  scene.cluster.start_worker(2);
  scene.job.finish("work");
  // long before its lease had ended
  const auto journal = scene.job.journal("work");
  CHECK_FALSE(journal.losses.empty());
  for (const auto& loss : journal.losses) CHECK(loss.at - killed_at < 15'000);
}

TEST_CASE("what a worker reports that was stopped for longer than its lease changes nothing, and it works again") {
  Scene scene;
  const auto pid = scene.cluster.worker(3).pid();
  const auto stopped_at = wall_ms();
  scene.cluster.worker(3).kill(SIGSTOP);
  wait_given_up(scene, 3);
  scene.cluster.worker(3).kill(SIGCONT);
  scene.job.finish("work", {pid});
  check_recovery(scene, 3, stopped_at);
  scene.cluster.wait_ready();
}

TEST_CASE("a worker that is stopped for less than its lease loses nothing") {
  Scene scene{{.lease_ms = 30'000, .heartbeat_ms = 500}};
  scene.cluster.worker(3).kill(SIGSTOP);
  const auto others = scene.job.executions().size();
  scene.job.wait_begun(others + 1000);
  scene.cluster.worker(3).kill(SIGCONT);
  scene.job.finish("work");
  CHECK(scene.job.journal("work").losses.empty());
}

TEST_CASE("a connection that is dead without a word is replaced, and nothing runs twice") {
  Scene scene{{}, {.items = 20'000, .item_ms = 1}};
  scene.cluster.network().half_open(1);
  scene.job.finish("work");
  scene.cluster.wait_ready();
}

TEST_CASE("a partition that heals within the lease loses nothing") {
  Scene scene{{.lease_ms = 30'000, .heartbeat_ms = 500}};
  scene.cluster.network().cut(1);
  scene.job.wait_begun(scene.job.executions().size() + 1000);
  scene.cluster.network().heal(1);
  scene.job.finish("work");
  CHECK(scene.job.journal("work").losses.empty());
}

TEST_CASE("a worker behind a partition that outlasts its lease begins nothing any more, and works again when it has healed") {
  Scene scene;
  const auto cut_at = wall_ms();
  scene.cluster.network().cut(1);
  wait_given_up(scene, 1);
  scene.job.finish("work");
  check_recovery(scene, 1, cut_at);
  scene.cluster.network().heal(1);
  scene.cluster.wait_ready();
}

TEST_CASE("a worker that is not heard is given up within its lease, though it hears") {
  Scene scene;
  const auto stalled_at = wall_ms();
  scene.cluster.network().stall_one_way(1, Way::to_coordinator);
  scene.job.finish("work");
  check_recovery(scene, 1, stalled_at);
  scene.cluster.network().heal(1);
  scene.cluster.wait_ready();
}

TEST_CASE("a worker that hears nothing begins nothing once its lease has ended, and works again when it hears") {
  Scene scene;
  scene.cluster.network().stall_one_way(1, Way::to_worker);
  scene.job.finish("work");
  scene.cluster.network().heal(1);
  scene.cluster.wait_ready();
}

TEST_CASE("a slow link slows one worker, not the chain") {
  Scene scene;
  scene.cluster.network().slow(4);
  scene.job.finish("work");
  scene.cluster.network().heal(4);
  CHECK(scene.cluster.worker_is_there(4));
}

TEST_CASE("a coordinator that is killed goes on where it was: running attempts are adopted, not run again") {
  Scene scene{{.lease_ms = 10'000, .heartbeat_ms = 500}, {.items = 20'000, .item_ms = 1}};
  scene.cluster.kill_coordinator(SIGKILL);
  scene.cluster.start_coordinator();
  scene.job.finish("work");
  const auto journal = scene.job.journal("work");
  CHECK(journal.losses.empty());
  // every item had one attempt, and one execution
  for (const auto& [key, attempts] : journal.attempts) {
    if (!key.ends_with("/list")) CHECK(attempts == 1);
  }
  CHECK(scene.job.executions().size() == 20'000);
}

TEST_CASE("a coordinator that is killed with workers that do not come back gives their work to others") {
  Scene scene{{}, {.items = 20'000, .item_ms = 1}};
  scene.cluster.kill_coordinator(SIGKILL);
  scene.cluster.kill_worker(1, SIGKILL);
  scene.cluster.kill_worker(2, SIGKILL);
  scene.cluster.start_coordinator();
  scene.job.finish("work");
}

TEST_CASE("a coordinator that is asked to end and started again loses nothing") {
  Scene scene{{.lease_ms = 10'000, .heartbeat_ms = 500}, {.items = 20'000, .item_ms = 1}};
  scene.cluster.kill_coordinator(SIGTERM);
  scene.cluster.start_coordinator();
  scene.job.finish("work");
  CHECK(scene.job.journal("work").losses.empty());
}

TEST_CASE("a worker that is asked to end finishes what runs, hands back what has not begun, and loses nothing") {
  Scene scene{{}, {.items = 20'000, .item_ms = 1}};
  CHECK(scene.cluster.kill_worker(2, SIGTERM) == 0);
  CHECK(scene.cluster.node("w2").is_null());
  scene.job.finish("work");
  const auto journal = scene.job.journal("work");
  CHECK(journal.losses.empty());
  // handed back without having begun: as many executions as items
  CHECK(scene.job.executions().size() == 20'000);
}

TEST_CASE("without root, behind proxies: a cut, a dead connection and a slow link in one chain, over links without TLS") {
  Scene scene{{.tls = false, .loopback = true}, {.items = 20'000, .item_ms = 1}};
  auto& network = scene.cluster.network();
  network.slow(4);
  network.half_open(2);
  network.cut(1);
  wait_given_up(scene, 1);
  network.heal(1);
  network.stall_one_way(3, Way::to_worker);
  scene.job.wait_begun(scene.job.executions().size() + 500);
  network.heal(3);
  network.heal(4);
  scene.job.finish("work");
  scene.cluster.wait_ready();
}

}  // namespace cluster_test
