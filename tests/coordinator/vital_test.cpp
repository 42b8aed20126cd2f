// Actors that a process cannot do without: whatever they die of is noticed.
#include "coordinator/vital.hpp"

#include <catch2/catch.hpp>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

struct FragileState {
  static inline const char* name = "fragile";
};

/// Fails in the manner of the number that it is sent.
caf::behavior fragile(caf::stateful_actor<FragileState>* self, int added) {
  return {[=](int manner) {
    if (manner + added == 1) throw std::runtime_error{"a defect"};
    if (manner + added == 2) throw std::bad_alloc{};
    if (manner + added == 3) self->quit(caf::exit_reason::unhandled_exception);
    if (manner + added == 4) self->quit();  // it should not have
  }};
}

/// An actor system under the test's scheduler, and what was said to have failed.
struct VitalScene {
  TestConfig config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::vector<std::string> failed;
  Vitals vitals{system, [this](std::string_view what) { failed.emplace_back(what); }};
};

TEST_CASE("a vital actor that throws, runs out of memory or ends by itself is said to have failed") {
  const auto manner = GENERATE(1, 2, 3, 4);
  CAPTURE(manner);
  VitalScene scene;
  const auto actor = scene.vitals.spawn("the fragile one", fragile, 0);
  scene.scheduler.run();
  caf::anon_send(actor, 7);
  scene.scheduler.run();
  CHECK(scene.failed.empty());
  caf::anon_send(actor, manner);
  scene.scheduler.run();
  REQUIRE_FALSE(scene.failed.empty());
  CHECK(scene.failed.front() == "the fragile one");
}

TEST_CASE("one that is killed is said to have failed, one that is told to end is not") {
  VitalScene scene;
  const auto killed = scene.vitals.spawn("the killed one", fragile, 0);
  const auto ended = scene.vitals.spawn("the ended one", fragile, 0);
  scene.scheduler.run();
  caf::anon_send_exit(ended, caf::exit_reason::user_shutdown);
  scene.scheduler.run();
  CHECK(scene.failed.empty());
  caf::anon_send_exit(killed, caf::exit_reason::kill);
  scene.scheduler.run();
  CHECK(scene.failed == std::vector<std::string>{"the killed one"});
}

TEST_CASE("one that nobody holds any more is not forgotten by who watches it") {
  VitalScene scene;
  caf::actor_addr address;
  {
    const auto actor = scene.vitals.spawn("the lonely one", fragile, 0);
    address = actor.address();
    scene.scheduler.run();
    caf::anon_send(actor, 2);
  }
  scene.scheduler.run();
  CHECK(scene.failed.size() >= 1);
}

}  // namespace
}  // namespace catena::coordinator::test
