// Workers and coordinators that die: what was lost is made again, within what its effect class allows.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

const std::string kOnce = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";

TEST_CASE("what a lost worker had is run by another, and does not count as an attempt that failed") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.script.on("c/a", 1, held());
  f.script.on("c/a", 2, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})")})));
  f.run();
  CHECK(f.script.count("c/a") == 1);
  f.kill(f.workers.front());
  f.run();
  f.add_worker({.id = "w2"});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/a") == 3);  // lost, failed, succeeded
  CHECK(f.script.last("c/a").worker == "w2");
  CHECK(f.script.last("c/a").attempt == 3);
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("only the items that a lost worker had are run again") {
  Fixture f{{.workers = {{.id = "w1", .slots = 2}, {.id = "w2", .slots = 2}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", over(6))})));
  f.run();
  std::map<std::string, std::string> had;
  for (const auto& [key, pending] : f.script.pending) had[key] = pending.worker;
  REQUIRE_FALSE(had.empty());
  f.kill(f.workers.front());
  f.run();
  f.script.otherwise = [](const auto&) { return answer("{}"); };
  for (const auto& [key, worker] : had) f.script.release(key, answer("{}"));  // of the dead one too: it may have got that far
  CHECK(f.finish().status == ChainStatus::succeeded);
  for (const auto& [key, worker] : had) CHECK(f.script.count(key) == (worker == "w1" ? 2U : 1U));
}

TEST_CASE("a report of a worker that was declared lost is dropped") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.kill(f.workers.front());
  f.run();
  f.script.release("c/a", answer(R"({"from": "the dead"})"));
  f.run();
  CHECK_FALSE(f.has_ended());
  f.script.on("c/a", 2, answer(R"({"from": "the living"})"));
  f.add_worker({.id = "w2"});
  CHECK(Json::parse(f.finish().response.text)["a"] == Json{{"from", "the living"}});
}

TEST_CASE("a worker that comes back under its name has lost what its earlier start had") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.add_worker({.id = "w1", .incarnation = 99});  // the earlier one still looks alive
  f.run();
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
  f.run();
  CHECK(f.tickets_free() == 8);
}

TEST_CASE("an offer of an earlier start that comes late does not replace the worker that is there") {
  Fixture f;
  f.add_worker({.id = "w1", .incarnation = 99});
  f.run();
  const auto stale = f.add_worker({.id = "w1", .incarnation = f.kv.epoch()});  // the one that was there first
  f.run();
  f.kill(stale);
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
}

TEST_CASE("an at_most_once attempt that was lost waits for a person") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a", {}, "/once.tool")}), {{"/once.tool", kOnce}}));
  f.run();
  f.kill(f.workers.front());
  f.add_worker({.id = "w2"});
  f.run();
  CHECK(f.script.count("c/a") == 1);
  CHECK(f.state().steps[0].in_doubt.contains(0));
  SECTION("its response settles it") {
    f.control("c", engine::Resolve{{0, 1}, IndexSet::one(0), engine::inline_payload(R"({"known": true})")});
    const auto ended = f.finish();
    CHECK(ended.status == ChainStatus::succeeded);
    CHECK(Json::parse(ended.response.text)["a"] == Json{{"known", true}});
    CHECK(f.script.count("c/a") == 1);
  }
  SECTION("its error settles it") {
    f.control("c", engine::Resolve{{0, 1}, IndexSet::one(0), make_error(Code::tool_failed, "it did not go out")});
    CHECK(f.finish().status == ChainStatus::failed);
    CHECK(f.script.count("c/a") == 1);
  }
  SECTION("it can be run again") {
    f.control("c", engine::Resolve{{0, 1}, IndexSet::one(0), std::monostate{}});
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.script.count("c/a") == 2);
  }
}

TEST_CASE("items in doubt that a person answers for stand in the list") {
  Fixture f;
  f.script.on("c/a/1", 1, held());
  f.script.on("c/a/2", 1, held());
  f.submit(pin(composite({step("a", over(3), "/once.tool")}, R"("response_reference_map": {"all": "REF:a.response"})"), {{"/once.tool", kOnce}}));
  f.run();
  f.crash();
  f.resume();
  f.await();
  f.run();
  CHECK(f.script.count("c/a/1") == 1);
  f.control("c", engine::Resolve{{0, 1}, IndexSet::range(1, 3), engine::inline_payload(R"("by hand")")});
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["all"] == Json{{{"i", 0}}, "by hand", "by hand"});
}

TEST_CASE("a coordinator that dies is rebuilt at whatever moment, its chain completes and the tickets come back") {
  const auto package = pin(composite({step("a"), step("b", over(6)), step("c", R"("arguments": {"l": "REF:b.response", "a": "REF:a.response"})")}));
  std::string expected;
  {
    Fixture f{{.workers = {{.slots = 1}}}};
    expected = f.complete(package).response.text;
  }
  for (std::size_t messages = 1;; ++messages) {
    CAPTURE(messages);
    Fixture f{{.workers = {{.slots = 1}}}};
    f.submit(package);
    const auto done = f.run_messages(messages);
    if (done < messages) break;
    const auto& running = Fixture::state_of<SupervisorState>(f.supervisor).running;
    if (!running.contains(ChainId{"c"})) continue;
    f.kill(running.at(ChainId{"c"}).coordinator);
    f.run();
    if (!f.has_ended() && !f.exists()) continue;  // it died before it was accepted: see below
    const auto ended = f.finish();
    CHECK(ended.status == ChainStatus::succeeded);
    CHECK(Json::parse(ended.response.text) == Json::parse(expected));
    const auto state = recover_state(f.kv, ChainId{"c"});
    REQUIRE(state);
    CHECK(state->state.status == ChainStatus::succeeded);
    f.run();
    CHECK(f.tickets_free() == 2);
    CHECK(f.actors_left() == 0);
  }
}

TEST_CASE("a submission whose coordinator dies before it is durable is refused") {
  Fixture f;
  f.gate.shut = true;
  f.submit(pin(composite({step("a")})));
  f.run();
  f.gate.kept.clear();  // with what it had sent
  f.kill(f.coordinator_of());
  f.gate.shut = false;
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.accepted.empty());
  CHECK_FALSE(f.exists());
}

TEST_CASE("a coordinator that dies again and again is given up, and who waits is told") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a")})));
  f.run();
  for (int death = 0; death < 4; ++death) {
    f.kill(f.coordinator_of());
    f.run();
  }
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::internal);
  CHECK_FALSE(f.has_ended());
  f.forget();
  f.script.otherwise = [](const auto&) { return answer("{}"); };
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("an order that comes while a coordinator is being rebuilt reaches the one that takes its place") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a")})));
  f.run();
  f.gate.shut = true;  // so that the rebuilding waits
  f.kill(f.coordinator_of());
  f.run();
  f.control("c", engine::Cancel{"enough"});
  f.tell(actors::AskProgress{ChainId{"c"}});
  f.run();
  CHECK(f.accepted.size() == 1);
  f.open_gate();
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.accepted.size() == 2);
}

TEST_CASE("a step actor that dies takes its coordinator along, and the chain completes") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.kill(f.script.pending.begin()->second.reporter);
  f.run();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/a") == 2);
  f.run();
  CHECK(f.tickets_free() == 8);
}

TEST_CASE("when a chain has ended every ticket is there for the next") {
  Fixture f{{.workers = {{.id = "w1", .slots = 2}, {.id = "w2", .slots = 1}}}};
  f.script.otherwise = [](const auto& attempt) {
    return late(Millis{attempt.item % 3}, attempt.item % 4 == 3 ? failure(Code::tool_failed) : answer("{}"));
  };
  CHECK(f.complete(pin(composite({step("a", over(20)), step("b", over(20))}, R"("failure_policy": "cancel")"))).status == ChainStatus::failed);
  f.run();
  CHECK(f.tickets_free() == 6);
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", over(60))})), "next");
  f.run();
  CHECK(f.tickets_free() == 0);
}

TEST_CASE("chains take turns: one that is wide does not keep another waiting") {
  Fixture f{{.workers = {{.slots = 1}}}};
  f.script.otherwise = [](const auto&) { return late(Millis{10}, answer("{}")); };
  f.submit(pin(composite({step("a", over(400))})), "wide");
  f.run();
  f.submit(pin(composite({step("a")})), "small");
  f.finish("small");
  CHECK_FALSE(f.has_ended("wide"));
  CHECK(f.finish("wide").status == ChainStatus::succeeded);
}

}  // namespace
}  // namespace catena::coordinator::test
