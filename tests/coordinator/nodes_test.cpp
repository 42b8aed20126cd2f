// Which worker gets what, who is told why none does, and what people do with workers.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using actors::NodeVerb;
using engine::ChainStatus;

std::string needs(const std::string& label) { return R"("needs": [")" + label + R"("])"; }

TEST_CASE("a step runs where its needs are met, whichever tickets its chain holds") {
  Fixture f{{.workers = {{.id = "w1", .labels = {"disk=ssd"}}, {.id = "w2", .slots = 1, .labels = {"gpu=a100"}}}}};
  CHECK(f.complete(pin(composite({step("a", needs("disk")), step("b", needs("gpu=a100") + R"(, "arguments": {"x": "REF:a.response"})"),
                                  step("c", needs("disk=ssd") + R"(, "arguments": {"x": "REF:b.response"})")})))
            .status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w1");
  CHECK(f.script.last("c/b").worker == "w2");
  CHECK(f.script.last("c/c").worker == "w1");
  f.run();
  CHECK(f.tickets_free() == 10);
}

TEST_CASE("a worker that does not run endpoints of a kind gets none") {
  Fixture f{{.workers = {{.id = "w1", .kinds = {"exec"}}, {.id = "w2", .slots = 1, .kinds = {"builtin"}}}}};
  CHECK(f.complete(pin(composite({step("a", over(20))}))).status == ChainStatus::succeeded);
  for (const auto& execution : f.script.executions) CHECK(execution.worker == "w2");
}

TEST_CASE("a step that no worker can take says so at once, holds up nobody else, and runs as soon as one comes") {
  Fixture f{{.workers = {{.id = "w1", .labels = {"zone=a"}}}}};
  f.submit(pin(composite({step("a", needs("gpu=a100"))})));
  f.run();
  CHECK(f.explain() == Words{"a: no worker has label gpu=a100; w1 lacks only that"});
  f.tell(actors::AskProgress{ChainId{"c"}});
  f.run();
  REQUIRE(f.progress.size() == 1);
  CHECK(f.progress.front().unplaceable == Words{"step 'a': no worker has label gpu=a100; w1 lacks only that"});
  CHECK(f.complete(pin(composite({step("a")})), "other").status == ChainStatus::succeeded);
  f.add_worker({.id = "w2", .labels = {"gpu=a100"}});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w2");
  f.run();
  CHECK(f.explain() == Words{"it does not run; `catena resume c` goes on with it"});
  CHECK(f.tickets_free() == 16);
  CHECK(f.actors_left() == 1);  // w2
}

TEST_CASE("a step that has lost the only worker that fits says so") {
  Fixture f{{.workers = {{.id = "w1", .labels = {"gpu"}}, {.id = "w2", .labels = {}}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", needs("gpu"))})));
  f.run();
  CHECK(f.explain().empty());  // it runs
  f.kill(f.workers.front());
  f.run();
  CHECK(f.explain() == Words{"a: no worker has label gpu; w2 lacks only that"});
}

TEST_CASE("a chain whose workers are all busy says which") {
  Fixture f{{.workers = {{.slots = 1}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b"), step("c")})));
  f.run();
  CHECK(f.script.pending.size() == 2);
  CHECK(f.explain() == Words{"c: all workers that fit are busy: w1; held by chain 'c' (2)"});
}

TEST_CASE("a cordoned worker ends what it has and gets nothing new, however often it comes back, until it is uncordoned") {
  Fixture f{{.workers = {{.id = "w1", .slots = 1}}}};
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a"), step("b", R"("arguments": {"x": "REF:a.response"})")})));
  f.run();
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::cordon});
  f.run();
  REQUIRE(f.ordered.size() == 1);
  CHECK_FALSE(f.ordered.front().error);
  f.advance(Millis{200});  // by then the chain has no right any more to use its ticket again
  f.script.release("c/a");
  f.run();
  CHECK(f.script.count("c/b") == 0);
  CHECK(f.explain() == Words{"b: workers that fit are cordoned: w1"});
  f.kill(f.workers.front());
  f.run();
  f.add_worker({.id = "w1", .incarnation = 99});
  f.run();
  CHECK(f.script.count("c/b") == 0);
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::uncordon});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a cordon is answered when it is durable, and holds over restarts of the coordinator until it is taken back") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.gate.shut = true;
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::cordon});
  f.run();
  CHECK(f.ordered.empty());
  f.open_gate();
  f.run();
  CHECK(f.ordered.size() == 1);
  for (int restarts = 0; restarts < 2; ++restarts) {
    f.crash();
    f.submit(pin(composite({step("a")})), "c" + std::to_string(restarts));
    f.run();
    CHECK(f.explain("c" + std::to_string(restarts)) == Words{"a: workers that fit are cordoned: w1"});
  }
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::uncordon});
  f.run();
  f.crash();
  CHECK(f.complete(pin(composite({step("a")})), "last").status == ChainStatus::succeeded);
}

TEST_CASE("a worker hears that it is to drain when that is durable") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.gate.shut = true;
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::drain});
  f.run();
  CHECK(f.script.drains == 0);
  f.submit(pin(composite({step("a")})));
  f.open_gate();
  f.run();
  CHECK(f.script.drains == 1);
  CHECK(f.script.count("c/a") == 0);
}

TEST_CASE("who has a cordon from before is known, though it has not come back yet") {
  Fixture f{{.workers = {}}};
  f.add_worker({.id = "w1"});
  f.run();
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::cordon});
  f.run();
  f.crash();
  f.ordered.clear();
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::uncordon});
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w2"}, NodeVerb::uncordon});
  f.run();
  REQUIRE(f.ordered.size() == 2);
  for (const auto& answer : f.ordered) CHECK(answer.error.has_value() == (answer.worker == WorkerId{"w2"}));
}

TEST_CASE("an order that is not kept ends with the coordinator") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::drain, false});
  f.run();
  CHECK(f.script.drains == 1);
  CHECK(f.ordered.size() == 1);
  f.crash();
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
}

TEST_CASE("a worker that is drained is cordoned and told so; an order for one that nobody knows is refused") {
  Fixture f{{.workers = {{.id = "alpha"}, {.id = "beta"}}}};
  f.tell_dispatcher(actors::NodeControl{WorkerId{"alpha"}, NodeVerb::drain});
  f.tell_dispatcher(actors::NodeControl{WorkerId{"betta"}, NodeVerb::drain});
  f.run();
  CHECK(f.script.drains == 1);
  REQUIRE(f.ordered.size() == 2);
  const auto& refusal = f.ordered.front();  // the other has to be durable first
  CHECK_FALSE(f.ordered.back().error);
  REQUIRE(refusal.error);
  CHECK(refusal.error->code == Code::worker_unknown);
  CHECK(refusal.error->message == "no worker 'betta' has registered; did you mean 'beta'?");
  f.complete(pin(composite({step("a", over(20))})));
  for (const auto& execution : f.script.executions) CHECK(execution.worker == "beta");
}

TEST_CASE("a worker that is given up loses what it has, though its node lives on") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, f.kv.epoch() + 1});  // another start: nothing is lost
  f.run();
  CHECK(f.tickets_free() == 7);
  f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, f.kv.epoch()});
  f.run();
  CHECK(f.explain() == Words{"a: no worker has registered"});
  f.add_worker({.id = "w2"});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w2");
}

TEST_CASE("a coordinator remembers the latest names and starts of workers that have gone, not all that ever came") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  for (Incarnation start = 1; start <= 2 * DispatcherState::kOverMax; ++start)
    f.tell_dispatcher(actors::NodeGone{WorkerId{"v" + std::to_string(start.value)}, start});
  f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, f.kv.epoch()});
  f.run();
  const auto& state = Fixture::state_of<DispatcherState>(f.services()->dispatcher);
  CHECK(state.over.size() == DispatcherState::kOverMax);
  CHECK(state.left.size() == 1);
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::cordon});  // when it comes back
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::uncordon});
  f.run();
  REQUIRE(f.ordered.size() == 2);
  CHECK_FALSE(f.ordered.front().error);
  CHECK_FALSE(f.ordered.back().error);
}

TEST_CASE("packages that no chain has any more are forgotten") {
  Fixture f;
  constexpr int kPackages = 300;
  for (int number = 0; number < kPackages; ++number) {
    const auto name = "c" + std::to_string(number);
    REQUIRE(f.complete(pin(composite({step("a", R"("arguments": {"x": )" + std::to_string(number) + "}")})), name).status == ChainStatus::succeeded);
    f.forget();
  }
  CHECK(Fixture::state_of<SupervisorState>(f.supervisor).packages.size() <= 64);
}

TEST_CASE("the table of nodes tells what each offers, what its heartbeats said and how long ago") {
  Fixture f{{.workers = {{.id = "w1", .slots = 3, .labels = {"gpu"}}, {.id = "w2", .slots = 1}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", needs("gpu"))})));
  f.run();
  actors::NodeStatus status{WorkerId{"w1"}, f.kv.epoch(), "10.0.0.1:7421", "1.2.3", 2, 5, 100, f.now(), false};
  f.tell_dispatcher(status);
  f.advance(Millis{1000});
  status.finished = 150;
  status.heartbeat_at = f.now();
  status.draining = true;
  f.tell_dispatcher(status);
  status.incarnation = 77;
  status.running = 9;
  f.tell_dispatcher(status);  // of another start: nothing of it is kept
  f.advance(Millis{300});
  f.tell_dispatcher(actors::AskNodes{});
  f.run();
  REQUIRE(f.nodes.size() == 2);
  const auto& first = f.nodes.front();
  CHECK(first.id == WorkerId{"w1"});
  CHECK(first.address == "10.0.0.1:7421");
  CHECK(first.version == "1.2.3");
  CHECK(first.labels == Words{"gpu"});
  CHECK(first.slots == 3);
  CHECK(first.used == 2);
  CHECK(first.running == 2);
  CHECK(first.queued == 5);
  CHECK(first.rate_milli == 12'500);  // 50 a second, the first that is known: a quarter of it counts
  CHECK(first.heartbeat_age_ms == 300);
  CHECK(first.state == engine::NodeState::draining);
  CHECK(f.nodes.back().heartbeat_age_ms == -1);
  CHECK(f.nodes.back().state == engine::NodeState::open);
}

TEST_CASE("a worker that went away without having left stands as lost, until it comes back or an hour is over") {
  Fixture f{{.workers = {{.id = "w1"}, {.id = "w2"}}}};
  const auto nodes = [&] {
    f.tell_dispatcher(actors::AskNodes{});
    f.run();
    return f.nodes;
  };
  f.tell_dispatcher(actors::NodeStatus{WorkerId{"w1"}, f.kv.epoch(), "10.0.0.1:7421", "1.2.3", 2, 5, 100, f.now(), false});
  f.run();
  f.kill(f.workers.front());
  f.advance(Millis{7'000});
  REQUIRE(nodes().size() == 2);
  CHECK(f.nodes.front().id == WorkerId{"w1"});
  CHECK(f.nodes.front().lost_ms == 7'000);
  CHECK(f.nodes.front().running == 0);
  CHECK(f.nodes.back().lost_ms == -1);
  SECTION("it comes back") {
    f.add_worker({.id = "w1", .incarnation = 99});
    f.run();
    REQUIRE(nodes().size() == 2);
    CHECK(f.nodes.front().lost_ms == -1);
  }
  SECTION("it does not") {
    f.advance(Millis{3'600'000});
    CHECK(nodes().size() == 1);
  }
}

TEST_CASE("a worker whose link came back keeps its rate until it has said twice how many attempts it has ended") {
  Fixture f;
  actors::NodeStatus status{WorkerId{"w1"}, f.kv.epoch(), {}, {}, 0, 0, 100, f.now(), false};
  for (const auto finished : {100UL, 200UL, actors::kFinishedUnknown, 300UL}) {
    f.advance(Millis{1000});
    status.finished = finished;
    status.heartbeat_at = f.now();
    f.tell_dispatcher(status);
  }
  f.tell_dispatcher(actors::AskNodes{});
  f.run();
  CHECK(f.nodes.front().rate_milli == 25'000);
}

TEST_CASE("a worker that starts again gets work, though the number of its incarnation is lower than before") {
  Fixture f{{.workers = {}}};
  f.add_worker({.id = "w1", .incarnation = 100});
  f.run();
  const bool given_up = GENERATE(true, false);
  if (given_up) f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, 100});  // else it looks alive
  f.run();
  f.add_worker({.id = "w1", .incarnation = 7});
  f.run();
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
  f.add_worker({.id = "w1", .incarnation = 100});  // what the earlier one says comes late
  f.run();
  f.tell_dispatcher(actors::AskNodes{});
  f.run();
  REQUIRE(f.nodes.size() == 1);
  CHECK(f.nodes.front().incarnation == 7);
  CHECK(f.complete(pin(composite({step("a")})), "d").status == ChainStatus::succeeded);
}

TEST_CASE("a worker that says it is draining gets nothing new") {
  Fixture f{{.workers = {{.id = "w1"}, {.id = "w2", .slots = 1}}}};
  f.tell_dispatcher(actors::NodeStatus{WorkerId{"w1"}, f.kv.epoch(), {}, {}, 0, 0, 0, f.now(), true});
  f.run();
  f.complete(pin(composite({step("a", over(20))})));
  for (const auto& execution : f.script.executions) CHECK(execution.worker == "w2");
}

// ---- priorities ---------------------------------------------------------------------------------------------------------

void submit_at(Fixture& f, const Pinned& package, const std::string& chain, std::int32_t priority) {
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.priority = priority;
  f.tell(std::move(submission));
  f.await(chain);
  f.run();
}

TEST_CASE("a chain of higher priority overtakes one that came before, also after a restart") {
  Fixture f{{.workers = {{.slots = 2}}}};
  f.script.otherwise = [](const auto&) { return late(Millis{150}, answer("{}")); };
  const auto package = pin(composite({step("a", over(60))}));
  submit_at(f, package, "plain", 0);
  submit_at(f, package, "urgent", 4);
  SECTION("at once") {}
  SECTION("after a restart") {
    f.crash();
    for (const std::string chain : {"plain", "urgent"}) {
      f.resume(chain);
      f.await(chain);
      f.run();
    }
  }
  CHECK(storage::load_summary(f.kv, ChainId{"urgent"}).value()->extra["priority"] == 4);
  f.finish("urgent");
  CHECK_FALSE(f.has_ended("plain"));
  CHECK(f.finish("plain").status == ChainStatus::succeeded);
}

TEST_CASE("a chain and its children hold one share: many children do not crowd out another chain") {
  Fixture f{{.workers = {{.slots = 4}}}};
  const auto child = composite({step("x", over(40))});
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", over(10), "/child.tool")}), {{"/child.tool", child}}), "family");
  f.run();
  CHECK(f.tickets_free() == 0);
  f.submit(pin(composite({step("a", over(40))})), "single");
  f.run();
  f.script.otherwise = [](const auto&) { return late(Millis{150}, answer("{}")); };
  std::vector<std::string> keys;
  for (const auto& [key, pending] : f.script.pending) keys.push_back(key);
  for (const auto& key : keys) f.script.release(key);
  f.advance(Millis{200});
  f.advance(Millis{200});
  const auto of = [&](const std::string& family) {
    std::set<std::pair<std::string, GrantId>> orders;
    for (const auto& [key, pending] : f.script.pending) {
      if (key.starts_with(family + "/")) orders.emplace(pending.chain, pending.grant);
    }
    return orders.size();
  };
  CHECK(of("single") >= 3);
  CHECK(of("family") >= 3);
}

}  // namespace
}  // namespace catena::coordinator::test
