#include <catch2/catch.hpp>

#include <condition_variable>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/slots.hpp"

namespace catena::worker::test {
namespace {

/// Outcomes as they are reported, and a way to wait for them.
class Ledger {
 public:
  SlotPool::Done done() {
    return [this](std::uint64_t id, Outcome outcome) {
      {
        const std::scoped_lock lock{mutex_};
        if (!outcomes_.emplace(id, std::move(outcome)).second) ++twice_;
      }
      changed_.notify_all();
    };
  }
  /// True when `count` were reported within half a minute.
  bool wait(std::size_t count) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{30}, [&] { return outcomes_.size() >= count; });
  }
  bool has(std::uint64_t id) {
    const std::scoped_lock lock{mutex_};
    return outcomes_.contains(id);
  }
  /// The code of an error; nothing for a success.
  std::optional<Code> code(std::uint64_t id) {
    const std::scoped_lock lock{mutex_};
    const auto& response = outcomes_.at(id).response;
    return response ? std::nullopt : std::optional{response.error().code};
  }
  std::string response(std::uint64_t id) {
    const std::scoped_lock lock{mutex_};
    const auto& response = outcomes_.at(id).response;
    return response ? response->text : response.error().message;
  }
  std::size_t size() {
    const std::scoped_lock lock{mutex_};
    return outcomes_.size();
  }
  std::size_t twice() {
    const std::scoped_lock lock{mutex_};
    return twice_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Outcome> outcomes_;
  std::size_t twice_ = 0;
};

/// Holds "gate:hold" until the gate opens or the task is stopped; "gate:pass" returns at once.
class GateExecutor final : public Executor {
 public:
  explicit GateExecutor(StopSource& gate, std::latch& entered) : gate_{gate}, entered_{entered} {}
  std::string_view kind() const override { return "gate"; }
  Outcome run(const Task& task, const StopToken& stop) override {
    if (task.endpoint.target == "throw") throw std::bad_alloc{};
    if (task.endpoint.target == "hold") {
      entered_.count_down();
      ::pollfd waited[] = {{gate_.token().poll_fd(), POLLIN, 0}, {stop.poll_fd(), POLLIN, 0}};
      ::poll(waited, 2, 30'000);
      if (stop.stop_requested()) return {.response = fail(Code::cancelled, "stopped"), .stderr_tail = {}};
    }
    return {.response = task.arguments, .stderr_tail = {}};
  }

 private:
  StopSource& gate_;
  std::latch& entered_;
};

Job job(std::uint64_t id, std::string what = "pass") {
  Task task;
  task.endpoint = {.kind = "gate", .target = std::move(what), .args = {}};
  return job_of(id, std::move(task));
}

struct Fixture {
  explicit Fixture(SlotOptions options, std::ptrdiff_t holds = 1) : entered{holds}, pool{options, executors(), ledger.done()} {}
  Executors executors() {
    auto all = make_executors();
    all.push_back(std::make_unique<GateExecutor>(gate, entered));
    return all;
  }
  StopSource gate;
  std::latch entered;
  Ledger ledger;
  SlotPool pool;
};

}  // namespace

TEST_CASE("dropping takes what has not begun and leaves what runs alone") {
  Fixture f{{.slots = 1, .queue_max = 16}};
  REQUIRE(f.pool.offer(job(1, "hold")));
  f.entered.wait();
  for (std::uint64_t id = 2; id <= 4; ++id) REQUIRE(f.pool.offer(job(id)));
  f.pool.drop({1, 2, 4, 99});
  CHECK(f.ledger.size() == 2);
  CHECK(f.ledger.code(2) == Code::given_back);
  CHECK(f.ledger.code(4) == Code::given_back);
  CHECK(f.pool.queued() == 1);
  f.gate.request_stop();
  REQUIRE(f.ledger.wait(4));
  CHECK(f.ledger.code(1) == std::nullopt);
  CHECK(f.ledger.code(3) == std::nullopt);
  CHECK(f.ledger.twice() == 0);
}

TEST_CASE("every accepted task is reported once") {
  Fixture f{{.slots = 3, .queue_max = 5000}};
  std::vector<Job> jobs;
  for (std::uint64_t id = 0; id < 4000; ++id) jobs.push_back(job(id));
  REQUIRE(f.pool.offer(jobs));
  CHECK(jobs.empty());
  for (std::uint64_t id = 4000; id < 4100; ++id) REQUIRE(f.pool.offer(job(id)));
  f.pool.drain();
  CHECK(f.ledger.size() == 4100);
  CHECK(f.ledger.twice() == 0);
  CHECK(f.pool.queued() == 0);
  CHECK_FALSE(f.pool.offer(job(1)));
}

TEST_CASE("a full queue refuses, a batch as a whole") {
  Fixture f{{.slots = 1, .queue_max = 3}};
  REQUIRE(f.pool.offer(job(0, "hold")));
  f.entered.wait();
  REQUIRE(f.pool.offer(job(1)));
  std::vector<Job> jobs;
  for (std::uint64_t id = 2; id < 5; ++id) jobs.push_back(job(id));
  CHECK_FALSE(f.pool.offer(jobs));
  CHECK(jobs.size() == 3);
  jobs.pop_back();
  CHECK(f.pool.offer(jobs));
  CHECK_FALSE(f.pool.offer(job(9)));
  f.gate.request_stop();
  f.pool.drain();
  CHECK(f.ledger.size() == 4);
}

TEST_CASE("a long task holds up none of those taken with it") {
  Fixture f{{.slots = 2, .queue_max = 100}};
  std::vector<Job> jobs;
  jobs.push_back(job(0, "hold"));
  for (std::uint64_t id = 1; id < 50; ++id) jobs.push_back(job(id));
  REQUIRE(f.pool.offer(jobs));
  CHECK(f.ledger.wait(49));
  CHECK_FALSE(f.ledger.has(0));
  f.gate.request_stop();
  CHECK(f.ledger.wait(50));
}

TEST_CASE("a queued task that is cancelled is dropped and reported at once") {
  Fixture f{{.slots = 1, .queue_max = 10}};
  REQUIRE(f.pool.offer(job(0, "hold")));
  f.entered.wait();
  REQUIRE(f.pool.offer(job(1)));
  CHECK(f.pool.cancel(1) == Cancel::dropped);
  CHECK(f.ledger.code(1) == Code::cancelled);
  CHECK(f.pool.cancel(1) == Cancel::unknown);
  CHECK(f.pool.cancel(77) == Cancel::unknown);
  CHECK(f.pool.queued() == 0);
  f.gate.request_stop();
  f.pool.drain();
  CHECK(f.ledger.size() == 2);
}

TEST_CASE("a task that a slot has taken and not begun can be cancelled") {
  Fixture f{{.slots = 1, .queue_max = 10}};
  std::vector<Job> jobs;
  jobs.push_back(job(0, "hold"));
  jobs.push_back(job(1));
  REQUIRE(f.pool.offer(jobs));
  f.entered.wait();
  CHECK(f.pool.cancel(1) == Cancel::dropped);
  CHECK(f.ledger.code(1) == Code::cancelled);
  f.gate.request_stop();
}

TEST_CASE("a running task that is cancelled is stopped, and the next one is not") {
  Fixture f{{.slots = 1, .queue_max = 10}};
  REQUIRE(f.pool.offer(job(0, "hold")));
  f.entered.wait();
  REQUIRE(f.pool.offer(job(1)));
  CHECK(f.pool.cancel(0) == Cancel::stopping);
  REQUIRE(f.ledger.wait(2));
  CHECK(f.ledger.code(0) == Code::cancelled);
  CHECK_FALSE(f.ledger.code(1));
}

TEST_CASE("a stop ends what runs and drops what waits") {
  Fixture f{{.slots = 2, .queue_max = 100}, 2};
  REQUIRE(f.pool.offer(job(0, "hold")));
  REQUIRE(f.pool.offer(job(1, "hold")));
  f.entered.wait();
  for (std::uint64_t id = 2; id < 50; ++id) REQUIRE(f.pool.offer(job(id)));
  f.pool.stop();
  CHECK(f.ledger.size() == 50);
  for (std::uint64_t id = 0; id < 50; ++id) CHECK(f.ledger.code(id) == Code::cancelled);
  CHECK(f.ledger.twice() == 0);
}

TEST_CASE("a destroyed pool stops real processes") {
  const TempDir directory;
  const Signpost ready{directory};
  Ledger ledger;
  std::string pid;
  {
    SlotPool pool{{.slots = 1, .queue_max = 10}, make_executors(), ledger.done()};
    REQUIRE(pool.offer(job_of(5, exec_task(directory.script("echo $$ > " + ready.path() + "; exec sleep 1000")))));
    pid = ready.wait();
    REQUIRE_FALSE(pid.empty());
  }
  CHECK(has_ended(std::stoi(pid)));
  CHECK(ledger.code(5) == Code::cancelled);
}

TEST_CASE("a kind that nobody executes and an executor that throws are errors of the task") {
  Fixture f{{.slots = 1, .queue_max = 10}};
  auto foreign = exec_task("letter");
  foreign.endpoint.kind = "carrier-pigeon";
  REQUIRE(f.pool.offer(job_of(0, foreign)));
  REQUIRE(f.pool.offer(job(1, "throw")));
  REQUIRE(f.pool.offer(job(2)));
  f.pool.drain();
  CHECK(f.ledger.code(0) == Code::endpoint_unknown);
  CHECK(f.ledger.code(1) == Code::internal);
  CHECK_FALSE(f.ledger.code(2));
}

TEST_CASE("cancelling from many threads while tasks come and go reports each once") {
  Fixture f{{.slots = 3, .queue_max = 100'000}};
  constexpr std::uint64_t kJobs = 5'000;
  std::vector<std::thread> threads;
  for (std::uint64_t lane = 0; lane < 3; ++lane) {
    threads.emplace_back([&f, lane] {
      for (std::uint64_t n = 0; n < kJobs; ++n) {
        const auto id = lane * kJobs + n;
        if (!f.pool.offer(job(id))) std::abort();
        if (n % 3 == 0) f.pool.cancel(id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  f.pool.drain();
  CHECK(f.ledger.size() == 3 * kJobs);
  CHECK(f.ledger.twice() == 0);
}

TEST_CASE("processes of several slots do not hold each other's pipes") {
  Ledger ledger;
  SlotPool pool{{.slots = 4, .queue_max = 1000}, make_executors(), ledger.done()};
  const auto arguments = [](std::uint64_t id) {
    return R"({"id":)" + std::to_string(id) + R"(,"text":")" + std::string(id % 2 == 0 ? 10 : 100'000, 'x') + "\"}";
  };
  for (std::uint64_t id = 0; id < 200; ++id) REQUIRE(pool.offer(job_of(id, exec_task("/bin/cat", arguments(id)))));
  pool.drain();
  REQUIRE(ledger.size() == 200);
  for (std::uint64_t id = 0; id < 200; ++id) CHECK(ledger.response(id) == arguments(id));
}

/// Where slots are lent to: runs what it was given when it is told to.
struct Borrower {
  std::function<bool(std::function<void()>)> lend() {
    return [this](std::function<void()> work) {
      if (!takes) return false;
      works.push_back(std::move(work));
      return true;
    };
  }
  void run() {
    for (const auto& work : std::exchange(works, {})) work();
  }
  bool takes = true;
  std::vector<std::function<void()>> works;
};

TEST_CASE("a single task that finds a slot idle runs where the slot is lent to, and once") {
  Borrower borrower;
  Fixture f{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}};
  REQUIRE(f.pool.offer(job(1)));
  REQUIRE(borrower.works.size() == 1);
  CHECK(f.ledger.size() == 0);
  CHECK(f.pool.queued() == 1);
  borrower.run();
  CHECK(f.ledger.has(1));
  CHECK(f.pool.queued() == 0);
  REQUIRE(f.pool.offer(job(2)));
  borrower.run();
  CHECK(f.ledger.has(2));
  CHECK(f.ledger.twice() == 0);
}

TEST_CASE("where nobody takes a slot its own thread runs the task") {
  Borrower borrower;
  borrower.takes = false;
  Fixture f{{.slots = 2, .queue_max = 100, .lend = borrower.lend()}};
  for (std::uint64_t id = 1; id <= 20; ++id) REQUIRE(f.pool.offer(job(id)));
  REQUIRE(f.ledger.wait(20));
  CHECK(f.ledger.twice() == 0);
}

TEST_CASE("a single task that is refused is left as it was") {
  Fixture f{{.slots = 1, .queue_max = 1}};
  REQUIRE(f.pool.offer(job(1, "hold")));
  f.entered.wait();
  REQUIRE(f.pool.offer(job(2)));
  std::vector<Job> jobs;
  jobs.push_back(job(3));
  CHECK_FALSE(f.pool.offer(jobs));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs.front().task->endpoint.target == "pass");
  f.gate.request_stop();
  REQUIRE(f.ledger.wait(2));
}

TEST_CASE("more than one task, and one behind others, is for the threads of the slots") {
  Borrower borrower;
  Fixture f{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}};
  std::vector<Job> jobs;
  jobs.push_back(job(1, "hold"));
  jobs.push_back(job(2));
  REQUIRE(f.pool.offer(jobs));
  f.entered.wait();
  REQUIRE(f.pool.offer(job(3)));
  CHECK(borrower.works.empty());
  f.gate.request_stop();
  REQUIRE(f.ledger.wait(3));
}

TEST_CASE("a slot that is lent runs nothing else meanwhile, and goes on with what waits afterwards") {
  Borrower borrower;
  Fixture f{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}};
  REQUIRE(f.pool.offer(job(1)));
  REQUIRE(f.pool.offer(job(2)));
  CHECK(borrower.works.size() == 1);
  CHECK(f.ledger.size() == 0);
  borrower.run();
  CHECK(f.ledger.has(1));
  REQUIRE(f.ledger.wait(2));
}

TEST_CASE("a task of a lent slot is cancelled, dropped or stopped as any other") {
  Borrower borrower;
  Fixture f{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}};
  SECTION("cancelled before it has begun") {
    REQUIRE(f.pool.offer(job(1)));
    CHECK(f.pool.cancel(1) == Cancel::dropped);
    borrower.run();
    CHECK(f.ledger.code(1) == Code::cancelled);
  }
  SECTION("dropped before it has begun") {
    REQUIRE(f.pool.offer(job(1)));
    f.pool.drop({1});
    borrower.run();
    CHECK(f.ledger.code(1) == Code::given_back);
  }
  SECTION("stopped while it runs") {
    REQUIRE(f.pool.offer(job(1, "hold")));
    std::jthread elsewhere{[&] { borrower.run(); }};
    f.entered.wait();
    CHECK(f.pool.cancel(1) == Cancel::stopping);
    REQUIRE(f.ledger.wait(1));
    CHECK(f.ledger.code(1) == Code::cancelled);
  }
  CHECK(f.ledger.twice() == 0);
  CHECK(f.pool.cancel(1) == Cancel::unknown);
}

TEST_CASE("what waits behind a long task is taken by a slot that was lent, and comes before what is offered later") {
  Borrower borrower;
  Fixture f{{.slots = 3, .queue_max = 10, .lend = borrower.lend()}, 2};
  REQUIRE(f.pool.offer(job(1)));  // lent
  std::vector<Job> jobs;
  // One of the other slots takes the first two, the other one the third and then the fourth.
  for (std::uint64_t id = 2; id <= 5; ++id) jobs.push_back(job(id, id == 2 || id == 5 ? "hold" : "pass"));
  REQUIRE(f.pool.offer(jobs));
  f.entered.wait();
  REQUIRE(f.ledger.wait(1));
  CHECK(f.ledger.has(4));
  REQUIRE(f.pool.offer(job(6)));
  CHECK(borrower.works.size() == 1);  // what waits comes first
  borrower.run();
  REQUIRE(f.ledger.wait(4));
  for (const std::uint64_t id : {1, 3, 4, 6}) CHECK(f.ledger.has(id));
  f.gate.request_stop();
  REQUIRE(f.ledger.wait(6));
}

TEST_CASE("a pool that ends does not wait for who has a slot and has not begun") {
  Borrower borrower;
  Ledger ledger;
  SECTION("what was accepted is dropped at a stop") {
    {
      SlotPool pool{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}, make_executors(), ledger.done()};
      REQUIRE(pool.offer(job(1)));
    }
    CHECK(ledger.code(1) == Code::cancelled);
  }
  SECTION("and run by the slot's own thread at a drain") {
    SlotPool pool{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}, make_executors(), ledger.done()};
    REQUIRE(pool.offer(job(1)));
    pool.drain();
    CHECK(ledger.has(1));
  }
  borrower.run();  // of a pool that is gone: nothing
  CHECK(ledger.size() == 1);
  CHECK(ledger.twice() == 0);
}

TEST_CASE("a pool that ends waits for who runs a task in a slot's place") {
  Borrower borrower;
  Fixture f{{.slots = 1, .queue_max = 10, .lend = borrower.lend()}};
  REQUIRE(f.pool.offer(job(1, "hold")));
  std::jthread elsewhere{[&] { borrower.run(); }};
  f.entered.wait();
  f.pool.stop();
  CHECK(f.ledger.code(1) == Code::cancelled);
  CHECK_FALSE(f.pool.offer(job(2)));
}

}  // namespace catena::worker::test
