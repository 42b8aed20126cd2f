// The simulated network itself: that it does to messages what it says, and that the two ends of a link see through it.
#include <catch2/catch.hpp>

#include "link/link.hpp"
#include "tests/simulation/network.hpp"
#include "worker/uplink.hpp"

namespace catena::simulation {
namespace {

constexpr int kMessages = 60;

/// One end of a link that sends numbers and keeps what it is sent.
struct EndState {
  link::LinePtr line;
  std::unique_ptr<link::Link> link;
  std::vector<std::string> received;
  bool broken = false;
  bool over = false;
  ~EndState() {
    if (line) line->end();
  }
  static inline const char* name = "end";
};
using End = caf::stateful_actor<EndState>;

void pump(End* self) { self->state.line->send(self->state.link->outgoing()); }

void begin(End* self, const link::LinePtr& line, const std::string& says) {
  const link::LinkLimits small{16, 400, 1024};
  auto& state = self->state;
  state.line = line;
  state.link = std::make_unique<link::Link>(small);
  actors::deliver(line, caf::actor{self});
  for (int at = 0; at < kMessages; ++at) state.link->send(says + std::to_string(at));
  pump(self);
}

caf::behavior end(End* self) {
  return {
      [=](const worker::Called& called) { begin(self, called.line, "worker "); },
      [=](const actors::LineCame& came) { begin(self, came.line, "coordinator "); },
      [=](actors::LineFrames& came) {
        for (auto& frame : came.frames) {
          if (self->state.broken) return;
          auto messages = self->state.link->receive(std::move(frame));
          if (!messages) {
            self->state.broken = true;
            return;
          }
          for (auto& message : *messages) self->state.received.push_back(std::move(message));
        }
        pump(self);
      },
      [=](const actors::LineOver&) { self->state.over = true; },
  };
}

struct Pair {
  explicit Pair(std::uint64_t seed) : schedule{seed}, network{schedule, seed} {
    coordinator = schedule.in(kCoordinator, [&] { return schedule.system.spawn(end); });
    worker = schedule.in(1, [&] { return schedule.system.spawn(end); });
    network.listen(coordinator);
  }
  ~Pair() {
    network.listen(nullptr);
    network.cut_all(Cut::told);
    schedule.kill(kCoordinator);
    schedule.kill(1);
    run();
  }
  void call() {
    network.call({1, "worker", {}}, [this](link::LinePtr line, std::string words) {
      error = std::move(words);
      if (line) caf::anon_send(worker, worker::Called{std::move(line), {}});
    });
  }
  void run(std::size_t most = 100'000) {
    for (std::size_t steps = 0; steps < most && (schedule.step() || schedule.wait()); ++steps) {
    }
  }
  static EndState& state_of(const caf::actor& actor) { return dynamic_cast<End&>(*caf::actor_cast<caf::abstract_actor*>(actor)).state; }
  static bool in_order(const std::vector<std::string>& received, const std::string& from) {
    for (std::size_t at = 0; at < received.size(); ++at) {
      if (received[at] != from + std::to_string(at)) return false;
    }
    return true;
  }

  Schedule schedule;
  Network network;
  caf::actor coordinator, worker;
  std::string error;
};

TEST_CASE("in calm weather every message of a link arrives, in order") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Pair pair{seed};
    pair.network.weather.delay_most_ms = seed % 2 == 0 ? 30 : 0;
    pair.call();
    pair.run();
    CHECK(Pair::state_of(pair.worker).received.size() == kMessages);
    CHECK(Pair::state_of(pair.coordinator).received.size() == kMessages);
    CHECK(Pair::in_order(Pair::state_of(pair.worker).received, "coordinator "));
    CHECK(Pair::in_order(Pair::state_of(pair.coordinator).received, "worker "));
    CHECK_FALSE(Pair::state_of(pair.worker).broken);
  }
}

TEST_CASE("what arrives over a link in foul weather is a beginning of what was sent, in order") {
  std::size_t broken = 0, whole = 0;
  Network::Counts counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Pair pair{seed};
    pair.network.weather = {seed % 3 == 0 ? 40U : 0U, seed % 2 == 0 ? 20U : 0U, seed % 5 == 0 ? 40U : 0U, 20};
    pair.call();
    pair.run();
    const auto& worker = Pair::state_of(pair.worker);
    const auto& coordinator = Pair::state_of(pair.coordinator);
    CHECK(Pair::in_order(worker.received, "coordinator "));
    CHECK(Pair::in_order(coordinator.received, "worker "));
    if (worker.broken || coordinator.broken) ++broken;
    if (worker.received.size() == kMessages && coordinator.received.size() == kMessages) ++whole;
    counts.dropped += pair.network.counts.dropped;
    counts.doubled += pair.network.counts.doubled;
    counts.overtaken += pair.network.counts.overtaken;
  }
  CHECK(broken > 20);
  CHECK(whole > 50);
  CHECK(counts.dropped > 20);
  CHECK(counts.doubled > 20);
  CHECK(counts.overtaken > 20);
}

TEST_CASE("a cut is told to both sides or to none") {
  const auto how = GENERATE(Cut::told, Cut::silent);
  Pair pair{3};
  pair.call();
  pair.run(10);
  pair.network.cut(1, how);
  pair.run();
  CHECK(Pair::state_of(pair.worker).over == (how == Cut::told));
  CHECK(Pair::state_of(pair.worker).received.size() < kMessages);
  pair.network.reap();
  pair.run();
  CHECK(Pair::state_of(pair.worker).over);
}

TEST_CASE("a process that dies is gone with all it would have handled, and the other side is told") {
  Pair pair{4};
  pair.call();
  pair.run(12);
  pair.schedule.kill(kCoordinator);
  CHECK(pair.schedule.living_in(kCoordinator).empty());
  pair.network.listen(nullptr);
  pair.run();
  CHECK(Pair::state_of(pair.worker).over);
  pair.call();
  pair.run();
  CHECK(pair.error == "connection refused");
}

TEST_CASE("a process that stands still handles nothing until it goes on, while time passes") {
  Pair pair{5};
  pair.call();
  pair.run(1);
  pair.schedule.freeze(1);
  pair.schedule.after(Millis{700}, [] {});
  pair.run();
  CHECK(pair.schedule.now() >= Millis{700});
  CHECK(Pair::state_of(pair.worker).received.empty());
  pair.schedule.thaw(1);
  pair.run();
  CHECK(Pair::state_of(pair.worker).received.size() == kMessages);
}

TEST_CASE("a worker that is cut off calls in vain") {
  Pair pair{6};
  pair.network.part(1);
  pair.call();
  pair.run();
  CHECK(pair.error == "no answer");
  pair.network.join(1);
  pair.call();
  pair.run();
  CHECK(pair.error.empty());
  CHECK(Pair::state_of(pair.worker).received.size() == kMessages);
}

TEST_CASE("a process that is cut off in one direction is heard, or hears, and not both") {
  const auto way = GENERATE(Way::to_coordinator, Way::from_coordinator);
  Pair pair{7};
  pair.call();
  pair.run(1);  // the line is made, and nobody has said anything
  pair.network.part(1, way);
  pair.run();
  CHECK(Pair::state_of(pair.coordinator).received.empty() == (way == Way::to_coordinator));
  CHECK(Pair::state_of(pair.worker).received.empty() == (way == Way::from_coordinator));
  CHECK(pair.network.counts.one_way > 0);
}

TEST_CASE("the same seed gives the same run, another one another") {
  const auto trace = [](std::uint64_t seed) {
    Pair pair{seed};
    pair.network.weather = {50, 30, 40, 20};
    pair.call();
    pair.run();
    return pair.schedule.trace();
  };
  CHECK(trace(11) == trace(11));
  CHECK(trace(11) != trace(12));
}

}  // namespace
}  // namespace catena::simulation
