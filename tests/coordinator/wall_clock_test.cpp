// What waits while somebody sets the wall clock, and while the machine sleeps.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

const Words kWaiting{"retry", "wait", "child", "late"};

/// Four chains that wait: for a retry (10 s), for what was postponed (20 s), for the timeout of a child chain (30 s), for a deadline (40 s).
void submit_waiting(Fixture& f) {
  f.script.on("retry/a", 1, failure(Code::tool_temporary, true));
  f.script.on("wait/a", 1, postponed(20s));
  f.script.on("child/sub/one", held());
  f.script.on("late/a", held());
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "10s", "jitter": 0})")})), "retry");
  f.submit(pin(composite({step("a")})), "wait");
  f.submit(pin(composite({step("sub", R"("timeout": "30s")", "/inner.tool")}), {{"/inner.tool", composite({step("one")})}}), "child");
  f.submit(pin(composite({step("a", R"("deadline": "40s")")})), "late");
  f.run();
}

Code failed_with(const Fixture& f, const std::string& chain) {
  const auto found = std::ranges::find(f.ended, ChainId{chain}, &actors::ChainEnded::chain);
  return found == f.ended.end() || !found->error ? Code::internal : found->error->code;
}

/// Each falls due at its time exactly, while somebody sets the wall clock to and fro.
void check_each_in_time(Fixture& f, Millis jump) {
  f.advance(3s);
  f.set_wall(jump);
  f.advance(6999ms);
  CHECK(f.script.count("retry/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("retry/a") == 2);
  f.set_wall(-2 * jump);
  f.advance(9999ms);
  CHECK(f.script.count("wait/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("wait/a") == 2);
  CHECK(f.script.last("wait/a").age_ms == 20'000);
  f.set_wall(3 * jump);
  f.advance(9999ms);
  CHECK_FALSE(f.has_ended("child"));
  f.advance(1ms);
  CHECK(failed_with(f, "child") == Code::tool_timeout);
  f.set_wall(-2 * jump);
  f.advance(9999ms);
  CHECK_FALSE(f.has_ended("late"));
  f.advance(1ms);
  CHECK(failed_with(f, "late") == Code::deadline_exceeded);
}

void restart(Fixture& f) {
  f.crash();
  for (const auto& chain : kWaiting) {
    f.resume(chain);
    f.await(chain);
  }
  f.run();
}

}  // namespace

TEST_CASE("whoever sets the wall clock while a coordinator runs makes nothing fall due early or late") {
  const auto jump = GENERATE(Millis{1h}, Millis{-1h});
  CAPTURE(jump.count());
  Fixture f;
  submit_waiting(f);
  check_each_in_time(f, jump);
}

TEST_CASE("a start with a clock that was set back makes nothing fall due early, and leaves what waits no more than it had") {
  Fixture f;
  submit_waiting(f);
  f.advance(4s);  // nothing is journaled meanwhile: nobody knows of them afterwards
  f.set_wall(-1h);
  restart(f);
  check_each_in_time(f, 1h);
}

TEST_CASE("the time of a chain never goes back: its events are in order, whatever the clocks of its processes") {
  Fixture f;
  submit_waiting(f);
  f.advance(15s);
  f.set_wall(-1h);
  restart(f);
  f.advance(25s);
  CHECK(f.script.count("wait/a") == 2);
  UnixMillis last = 0;
  for (const auto& event : f.history("wait")) {
    const auto at = std::visit([](const auto& what) { return what.at; }, event);
    CHECK(at >= last);
    last = at;
  }
  CHECK(f.state("wait").last_at == last);
}

TEST_CASE("a clock that is right again at the next start counts the time that has passed") {
  Fixture f;
  submit_waiting(f);
  f.advance(4s);
  f.set_wall(-1h);
  restart(f);
  f.advance(5s);
  f.set_wall(1h);
  restart(f);
  f.advance(999ms);
  CHECK(f.script.count("retry/a") == 1);
  f.advance(1ms);
  CHECK(f.script.count("retry/a") == 2);
  f.advance(1min);  // actors that were killed have timers yet
}

TEST_CASE("a start with a clock that went forward finds due what fell due by it") {
  Fixture f;
  submit_waiting(f);
  f.advance(4s);
  f.set_wall(1h);
  restart(f);
  CHECK(f.script.count("retry/a") == 2);
  CHECK(f.script.count("wait/a") == 2);
  CHECK(failed_with(f, "late") == Code::deadline_exceeded);
  f.advance(1min);  // actors that were killed have timers yet
}

TEST_CASE("the time during which the machine slept counts, though no timer ran") {
  Fixture f;
  f.script.on("c/a", 1, postponed(10h));
  f.submit(pin(composite({step("a")})));
  f.advance(1h);
  f.sleep(8h);
  f.advance(1min);
  CHECK(f.script.count("c/a") == 1);
  f.sleep(59min);
  f.advance(1min);
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("what begins to wait after the machine has slept waits for no older timer") {
  Fixture f;
  f.script.on("c/a", 1, postponed(10h));
  f.script.on("c/b", 1, held());
  f.submit(pin(composite({step("a"), step("b", R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})")})));
  f.run();
  f.sleep(5min);
  f.script.release("c/b", failure(Code::tool_temporary, true));
  f.advance(999ms);
  CHECK(f.script.count("c/b") == 1);
  f.advance(1ms);
  CHECK(f.script.count("c/b") == 2);
}

}  // namespace catena::coordinator::test
