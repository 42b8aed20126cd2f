#include "worker/lease.hpp"

#include <catch2/catch.hpp>

#include "tests/worker/support.hpp"
#include "worker/slots.hpp"

namespace catena::worker::test {
namespace {

struct Leased {
  std::shared_ptr<ManualMonotonicClock> clock = std::make_shared<ManualMonotonicClock>(5'000);
  Lease lease{clock};
};

TEST_CASE("a lease that was never granted does not hold") {
  const Leased worker;
  CHECK_FALSE(worker.lease.holds());
}

TEST_CASE("a lease holds from when the heartbeat was sent, not from when its echo came") {
  Leased worker;
  worker.clock->advance(Millis{400});
  CHECK(worker.lease.renew(5'000, 1'000));
  worker.clock->advance(Millis{599});
  CHECK(worker.lease.holds());
  worker.clock->advance(Millis{1});
  CHECK_FALSE(worker.lease.holds());
}

TEST_CASE("an older echo shortens nothing, and one from the future is not believed") {
  Leased worker;
  worker.clock->advance(Millis{100});
  CHECK(worker.lease.renew(5'100, 1'000));
  CHECK_FALSE(worker.lease.renew(5'000, 1'000));
  CHECK_FALSE(worker.lease.renew(9'000, 1'000));
  CHECK_FALSE(worker.lease.renew(5'100, -1));
  CHECK(worker.lease.until_ms() == 6'100);
}

TEST_CASE("a lease that was ended holds again once it is renewed") {
  Leased worker;
  static_cast<void>(worker.lease.renew(5'000, 1'000));
  worker.lease.end();
  CHECK_FALSE(worker.lease.holds());
  CHECK(worker.lease.renew(5'000, 1'000));
  CHECK(worker.lease.holds());
}

TEST_CASE("the clock since boot goes on") {
  const BootClock clock;
  const auto first = clock.now_ms();
  CHECK(first > 0);
  CHECK(clock.now_ms() >= first);
}

// ---- what the slots make of it

struct Ended {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::uint64_t, Outcome> outcomes;

  void add(std::uint64_t id, Outcome outcome) {
    {
      const std::scoped_lock lock{mutex};
      outcomes.emplace(id, std::move(outcome));
    }
    changed.notify_all();
  }
  [[nodiscard]] bool wait_for(std::size_t count) {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, std::chrono::seconds{30}, [&] { return outcomes.size() >= count; });
  }
};

TEST_CASE("without a lease a slot begins nothing, and says of each task that it is given back") {
  Leased worker;
  Ended ended;
  const auto counters = std::make_shared<SlotCounters>();
  SlotPool pool{SlotOptions{2, 16, [&](const Job& job) { return worker.lease.lets_begin(job.taking); }, counters}, make_executors(),
                [&](std::uint64_t id, Outcome outcome) { ended.add(id, std::move(outcome)); }};
  REQUIRE(pool.offer(job_of(1, builtin_task("echo"))));
  REQUIRE(ended.wait_for(1));
  REQUIRE_FALSE(ended.outcomes.at(1).response);
  CHECK(ended.outcomes.at(1).response.error().code == Code::given_back);
  CHECK(counters->finished == 0);
  static_cast<void>(worker.lease.renew(5'000, 1'000));
  REQUIRE(pool.offer(job_of(2, builtin_task("echo"))));
  REQUIRE(ended.wait_for(2));
  CHECK(ended.outcomes.at(2).response);
  CHECK(counters->finished == 1);
  CHECK(counters->running == 0);
}

TEST_CASE("what was taken under a lease that lapsed never begins, also when it is renewed") {
  Leased worker;
  static_cast<void>(worker.lease.renew(5'000, 1'000));
  CHECK(worker.lease.lets_begin(1));
  worker.lease.end();
  worker.lease.begin_with(3);
  CHECK_FALSE(worker.lease.lets_begin(3));
  static_cast<void>(worker.lease.renew(5'000, 1'000));
  CHECK_FALSE(worker.lease.lets_begin(1));
  CHECK_FALSE(worker.lease.lets_begin(2));
  CHECK(worker.lease.lets_begin(3));
}

TEST_CASE("what runs when the lease ends goes on to its end") {
  Leased worker;
  static_cast<void>(worker.lease.renew(5'000, 1'000));
  const TempDir directory;
  const Signpost signpost{directory};
  const auto go_on = directory.path("go-on");
  Ended ended;
  SlotPool pool{SlotOptions{1, 16, [&](const Job& job) { return worker.lease.lets_begin(job.taking); }, {}}, make_executors(),
                [&](std::uint64_t id, Outcome outcome) { ended.add(id, std::move(outcome)); }};
  const auto tool = directory.script("echo here > " + signpost.path() + "; while [ ! -e " + go_on + " ]; do sleep 0.01; done; echo '{}'");
  REQUIRE(pool.offer(job_of(1, exec_task(tool))));
  REQUIRE(pool.offer(job_of(2, exec_task(tool))));
  REQUIRE_FALSE(signpost.wait().empty());
  worker.lease.end();
  static_cast<void>(directory.write("go-on", ""));
  REQUIRE(ended.wait_for(2));
  CHECK(ended.outcomes.at(1).response);
  REQUIRE_FALSE(ended.outcomes.at(2).response);
  CHECK(ended.outcomes.at(2).response.error().code == Code::given_back);
}

}  // namespace
}  // namespace catena::worker::test
