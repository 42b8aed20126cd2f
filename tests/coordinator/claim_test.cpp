// A coordinator starts again and its workers still have what it gave them: they go on with it, nothing is run twice.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

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
  CHECK(f.explain() == Words{"step 'a': it may still run on worker 'w1', which has not come back yet"});
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
  f.order("c", engine::Cancel{"enough"});
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
