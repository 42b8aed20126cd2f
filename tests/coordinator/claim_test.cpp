// A coordinator starts again and its workers still have what it gave them: they go on with it, nothing is run twice.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

const Settings kAdopting{.adopt_ms = 5000};
const WorkerSpec kFirst{.id = "w1", .incarnation = 7, .adopts = true};

/// One step runs at w1 when everything starts again.
struct Restarted : Fixture {
  explicit Restarted(const std::string& more = {}) : Fixture{{.workers = {}, .settings = kAdopting, .lease_ms = 2000}} {
    add_worker(kFirst);
    script.on("c/a", 1, held());
    submit(pin(composite({step("a", more)})));
    run();
    crash();
    script.on("c/a", 1, answer(R"({"from": "the first"})"));
    resume();
    await();
    run();
  }
};

TEST_CASE("a worker that comes back with what it ran is asked for that same attempt, under the same grant") {
  Restarted f;
  CHECK(f.script.count("c/a") == 1);
  CHECK(f.explain() == Words{"a: it may still run on worker 'w1', which has not come back yet"});
  f.add_worker(kFirst);
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["a"] == Json{{"from", "the first"}});
  CHECK(f.script.last("c/a").attempt == 1);
  CHECK(f.count<engine::Granted>() == 1);
  CHECK(f.count<engine::AttemptsEnded>() == 0);
  f.run();
  CHECK(f.tickets_free() == 8);
}

TEST_CASE("a worker that was there first is claimed at once") {
  Fixture f{{.workers = {}, .settings = kAdopting}};
  f.add_worker(kFirst);
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.crash();
  f.add_worker(kFirst);
  f.run();
  f.script.on("c/a", 1, answer("{}"));
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::Granted>() == 1);
}

TEST_CASE("the ticket of a claimed grant is like any other when it is used again: what it was not sent for is not lost") {
  const std::string once = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";
  Fixture f{{.workers = {}, .settings = kAdopting}};
  f.add_worker(kFirst);
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])", "/once.tool")}), {{"/once.tool", once}}));
  f.run();
  f.crash();
  const auto worker = f.add_worker(kFirst);
  f.resume();
  f.await();
  f.run();
  f.gate.shut = true;
  f.script.release("c/a");
  f.run();  // the grant of b waits to be durable
  f.kill(worker);
  f.run();
  f.open_gate();
  f.add_worker({.id = "w2", .incarnation = 1, .adopts = true});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/b").worker == "w2");
}

TEST_CASE("another start of the worker has nothing: what it ran is lost when no lease of it can hold any more, and made again") {
  Restarted f;
  f.add_worker({.id = "w1", .incarnation = 8, .adopts = true});
  f.run();
  CHECK(f.count<engine::AttemptsEnded>() == 0);
  f.advance(Millis{1900});
  f.run();
  CHECK(f.count<engine::AttemptsEnded>() == 0);  // it may stand still and go on
  f.advance(Millis{200});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::Granted>() == 2);
  CHECK(f.count<engine::AttemptsEnded>() == 1);
}

TEST_CASE("a worker that does not keep what it was asked is not asked again for the same") {
  Restarted f;
  auto forgetful = kFirst;
  forgetful.adopts = false;
  f.add_worker(forgetful);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::Granted>() == 2);
}

TEST_CASE("a worker that is given up before it came back is not waited for") {
  Restarted f;
  f.add_worker({.id = "w2", .incarnation = 1, .adopts = true});
  f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, 7});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w2");
}

TEST_CASE("who has not come back in time is lost") {
  Restarted f;
  f.add_worker({.id = "w2", .incarnation = 1, .adopts = true});
  f.advance(Millis{4000});
  CHECK(f.script.count("c/a") == 1);
  f.advance(Millis{1500});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w2");
  CHECK(f.script.last("c/a").attempt == 2);
}

TEST_CASE("an at_most_once attempt is not in doubt while its worker may come back") {
  Restarted f{R"("effect": "at_most_once")"};
  CHECK(f.state().steps[0].in_doubt.empty());
  f.add_worker(kFirst);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::Granted>() == 1);
}

TEST_CASE("a chain that was being cancelled stops what its worker came back with") {
  Fixture f{{.workers = {}, .settings = kAdopting}};
  f.add_worker(kFirst);
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.script.obeys_stops = false;
  f.control("c", engine::Cancel{"enough"});
  f.run();
  f.crash();
  f.script.obeys_stops = true;
  f.resume();
  f.await();
  f.run();
  CHECK_FALSE(f.has_ended());
  f.add_worker(kFirst);
  CHECK(f.finish().status == ChainStatus::cancelled);
}

/// Three chains deep, the last ones with an attempt each on a worker when everything starts again; and then cancelled before any of it goes on.
struct CancelledFamily : Fixture {
  CancelledFamily() : Fixture{{.workers = {}, .settings = kAdopting}} {
    add_worker(worker);
    script.otherwise = [](const auto&) { return held(); };
    submit(pin(composite({step("sub", over(2), "/inner.tool")}),
               {{"/inner.tool", composite({step("deeper", {}, "/leaf.tool")})}, {"/leaf.tool", composite({step("one")})}}));
    run();
    crash();
    control("c", engine::Cancel{"enough"});
    await();
    run();
  }
  [[nodiscard]] bool has_ended_in_store(const std::string& chain) const { return engine::terminal(state(chain).status); }
  WorkerSpec worker{.id = "w1", .incarnation = 7, .slots = 8, .adopts = true};
};

TEST_CASE("a family that is cancelled before it goes on has ended when the attempts that a worker still runs have been stopped") {
  CancelledFamily f;
  for (const auto* chain : {"c", "c/sub/0", "c/sub/1", "c/sub/0/deeper"}) CHECK_FALSE(f.has_ended_in_store(chain));
  f.add_worker(f.worker);
  CHECK(f.finish().status == ChainStatus::cancelled);
  for (const auto* chain : {"c", "c/sub/0", "c/sub/1", "c/sub/0/deeper", "c/sub/1/deeper"}) {
    CHECK(f.state(chain).status == ChainStatus::cancelled);
    CHECK(f.state(chain).grants.empty());
  }
  CHECK(f.count<engine::Granted>("c/sub/0/deeper") == 1);
  CHECK(f.script.pending.empty());
  f.run();
  CHECK(f.tickets_free() == 2 * f.worker.slots);
  CHECK(f.actors_left() == 1);  // the worker
}

TEST_CASE("a family that is cancelled before it goes on does not wait longer for its workers than any chain does") {
  CancelledFamily f;
  f.advance(kAdopting.adopt_ms * 1ms - 1s);
  CHECK_FALSE(f.has_ended());
  f.advance(2s);
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.has_ended_in_store("c/sub/1/deeper"));
  CHECK(f.script.executions.size() == 2);
}

TEST_CASE("a cancelled family that waits for workers is found as it was when the power fails meanwhile") {
  CancelledFamily f;
  f.crash();
  f.resume();
  f.await();
  f.run();
  CHECK_FALSE(f.has_ended());
  f.add_worker(f.worker);
  CHECK(f.finish().status == ChainStatus::cancelled);
  for (const auto* chain : {"c/sub/0", "c/sub/0/deeper"}) CHECK(f.has_ended_in_store(chain));
}

TEST_CASE("claims count as held: more than a worker has room for keep it from new work") {
  Fixture f{{.workers = {}, .settings = kAdopting}};
  auto worker = kFirst;
  worker.slots = 1;
  f.add_worker(worker);
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b")})));
  f.run();
  f.crash();
  f.resume();
  f.await();
  f.submit(pin(composite({step("a")})), "next");
  f.run();
  f.add_worker(worker);
  f.run();
  CHECK(f.tickets_free() == 0);
  CHECK(f.script.count("next/a") == 0);
  f.script.release("c/a");
  f.run();
  CHECK(f.script.count("next/a") == 1);
}

}  // namespace
}  // namespace catena::coordinator::test
