// Chains that stand still, each for one reason: what they and their scheduler say of it.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using namespace std::chrono_literals;
using actors::NodeVerb;
using engine::ReasonCode;

const std::string kAtMostOnceTool = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";
const std::string kPatient = R"("retry": {"max_attempts": 9, "initial_interval": "90s", "jitter": 0})";

/// What a client is told: the records first, then whoever runs the chain.
std::vector<engine::Reason> standstill_reasons_of(Fixture& f, const std::string& step = {}, std::optional<ItemIndex> item = {},
                                                  const std::string& chain = "c") {
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  auto told = inspector.answer(AskWaits{.chain = ChainId{chain}, .step = step, .item = item}).value();
  if (!told.workers_decide) return told.reasons;
  f.tell(actors::AskExplain{ChainId{chain}, step, told.reasons});
  f.run();
  auto all = f.explained.back().reasons;
  f.explained.clear();
  return all;
}

Words standstill_lines_of(Fixture& f, const std::string& step = {}, std::optional<ItemIndex> item = {}, const std::string& chain = "c") {
  Words lines;
  for (const auto& reason : standstill_reasons_of(f, step, item, chain)) {
    auto untimed = reason;
    if (reason.code != ReasonCode::backoff && reason.code != ReasonCode::deadline) untimed.at = 0;
    lines.push_back(engine::line(untimed, ChainId{chain}));
  }
  return lines;
}

/// One chain "c", brought to where it stands.
struct Standing : Fixture {
  explicit Standing(const Pinned& package, Options options = {}) : Fixture{std::move(options)} {
    script.otherwise = [](const auto&) { return held(); };
    submit(package);
    run();
  }
};

std::string label_needed(const std::string& label) { return R"("needs": [")" + label + R"("])"; }

TEST_CASE("standstill: an attempt runs, and others wait for it") {
  Standing f{pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}))};
  CHECK(standstill_lines_of(f) == Words{"b: waits for a", "a: 1 running attempt at worker 'w1'"});
  CHECK(standstill_lines_of(f, "b") == Words{"b: waits for a"});
}

TEST_CASE("standstill: no worker has registered") {
  Standing f{pin(composite({step("a")})), {.workers = {}}};
  CHECK(standstill_lines_of(f) == Words{"a: no worker has registered"});
}

TEST_CASE("standstill: no worker has the label, and which comes nearest") {
  Standing f{pin(composite({step("a", label_needed("gpu=a100"))})), {.workers = {{.id = "w1", .labels = {"zone=a"}}}}};
  CHECK(standstill_lines_of(f) == Words{"a: no worker has label gpu=a100; w1 lacks only that"});
  CHECK(standstill_reasons_of(f).front().worker == WorkerId{"w1"});
}

TEST_CASE("standstill: the worker that fits is cordoned") {
  Fixture f;
  f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, NodeVerb::cordon});
  f.run();
  f.submit(pin(composite({step("a")})));
  f.run();
  CHECK(standstill_lines_of(f) == Words{"a: workers that fit are cordoned: w1"});
}

TEST_CASE("standstill: the slots are another chain's") {
  Fixture f{{.workers = {{.slots = 1}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b")})), "hog");
  f.run();
  f.submit(pin(composite({step("a")})));
  f.run();
  CHECK(standstill_lines_of(f) == Words{"a: all workers that fit are busy: w1; held by chain 'hog' (2)"});
}

TEST_CASE("standstill: as many items run as may") {
  Standing f{pin(composite({step("a", each(numbers(5), R"("max_concurrency": 2)"))}))};
  const auto lines = standstill_lines_of(f);
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front() == "a: as many items run as its max_concurrency of 2 allows; 3 items to go");
  CHECK(standstill_lines_of(f, "a", 4) == Words{"a: as many items run as its max_concurrency of 2 allows; 3 items to go"});
  CHECK(standstill_lines_of(f, "a", 0) == Words{"a: 1 running attempt at worker 'w1'"});
}

TEST_CASE("standstill: the next attempt is due later") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return failure(Code::tool_temporary, true); };
  f.submit(pin(composite({step("a", kPatient)})));
  f.run();
  const auto reasons = standstill_reasons_of(f);
  REQUIRE(reasons.size() == 1);
  CHECK(reasons.front().code == ReasonCode::backoff);
  CHECK(reasons.front().at == f.now() + 90'000);
}

TEST_CASE("standstill: paused by a person, who said why") {
  Standing f{pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}))};
  actors::Control pause{ChainId{"c"}, engine::Pause{.by = "ann"}};
  pause.reason = "lunch";
  f.tell(std::move(pause));
  f.run();
  CHECK(standstill_lines_of(f) ==
        Words{"it is paused by ann: lunch; `catena unpause c` lets it go on", "b: waits for a", "a: 1 running attempt at worker 'w1'"});
}

TEST_CASE("standstill: the chain above is paused, and a child runs for it") {
  Standing f{pin(composite({step("sub", {}, "/sub.tool")}), {{"/sub.tool", composite({step("one")})}})};
  CHECK(standstill_lines_of(f) == Words{"sub: chain 'c/sub' runs for it"});
  f.control("c", engine::Pause{});
  f.run();
  CHECK(standstill_lines_of(f, {}, {}, "c/sub") ==
        Words{"chain 'c', which started it, is paused; it goes on with that one", "one: 1 running attempt at worker 'w1'"});
}

TEST_CASE("standstill: in doubt") {
  Standing f{pin(composite({step("a", {}, "/once.tool")}), {{"/once.tool", kAtMostOnceTool}})};
  f.kill(f.workers.front());
  f.run();
  CHECK(standstill_lines_of(f) == Words{"a: its attempt was lost and may or may not have happened; `catena resolve c a` settles it"});
}

TEST_CASE("standstill: a worker that may still run it has not come back") {
  Fixture f{{.workers = {}, .settings = {.adopt_ms = 5000}, .lease_ms = 2000}};
  f.add_worker({.id = "w1", .incarnation = 7, .adopts = true});
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.crash();
  f.resume();
  f.run();
  CHECK(standstill_lines_of(f).front() == "a: it may still run on worker 'w1', which has not come back yet");
}

TEST_CASE("standstill: nobody goes on with it") {
  Standing f{pin(composite({step("a")}))};
  f.crash();
  CHECK(standstill_lines_of(f).front() == "it does not run; `catena resume c` goes on with it");
}

TEST_CASE("standstill: its family is as large as may be") {
  Standing f{pin(composite({step("sub", over(5), "/sub.tool")}), {{"/sub.tool", composite({step("one")})}}),
             {.workers = {{.slots = 64}}, .settings = {.family_max = 3}}};
  const auto lines = standstill_lines_of(f);
  CHECK(lines.front() == "sub: its child chains wait for room: as many chains below 'c' live as may (chains.family_max)");
}

TEST_CASE("standstill: no chain begins for want of memory") {
  std::uint64_t used = 100;
  Standing f{pin(composite({step("first"), step("sub", R"("dependencies": ["first"])", "/sub.tool")}), {{"/sub.tool", composite({step("one")})}}),
             {.settings = {.memory_max = 1000}, .resident = [&] { return used; }}};
  used = 2000;
  f.advance(1s);
  f.script.release("c/first");
  f.run();
  CHECK(standstill_lines_of(f).front().starts_with("sub: no chain begins: "));
}

TEST_CASE("standstill: a condition that did not hold is told with its values") {
  Fixture f;
  f.script.on("c/b", held());
  f.submit(pin(composite({step("a", R"("conditions": [{"param": "REF:arguments.go", "operator": "equals", "value": true}])"), step("b")})), "c",
           R"({"go": false})");
  f.run();
  CHECK(standstill_lines_of(f, "a") == Words{"a: it was skipped: its condition did not hold: REF:arguments.go is false"});
}

TEST_CASE("standstill: a deadline is told of what runs, and a final step of what it waits for") {
  Standing f{pin(composite({step("a", R"("deadline": "1h")"), step("z", R"("finally": true)")}))};
  const auto reasons = standstill_reasons_of(f);
  REQUIRE(reasons.size() == 3);
  CHECK(reasons[0].code == ReasonCode::final_step);
  CHECK(reasons[1].code == ReasonCode::attempts);
  CHECK(reasons[2].code == ReasonCode::deadline);
  CHECK(reasons[2].at == f.now() + 3'600'000);
}

TEST_CASE("standstill: a failure waits for what still runs") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  f.script.on("c/b", held());
  f.submit(pin(composite({step("a"), step("b")})));
  f.run();
  const auto lines = standstill_lines_of(f);
  CHECK(lines.front().starts_with("it will fail once what runs has ended: [tool_failed]"));
  CHECK(standstill_lines_of(f, "a").front().starts_with("a: it is failed: nothing moves any more"));
}

TEST_CASE("standstill: it has ended") {
  Fixture f;
  f.complete(pin(composite({step("a", over(2))})));
  CHECK(standstill_lines_of(f) == Words{"it is succeeded: nothing moves any more"});
  CHECK(standstill_lines_of(f, "a", 1) == Words{"a/1: it is succeeded: nothing moves any more"});
}

TEST_CASE("standstill: a step or an item that there is not is refused") {
  Standing f{pin(composite({step("a", over(2)), step("b")}))};
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  CHECK(inspector.answer(AskWaits{.chain = ChainId{"c"}, .step = "x"}).error().code == Code::usage);
  CHECK(inspector.answer(AskWaits{.chain = ChainId{"c"}, .step = "a", .item = 2}).error().code == Code::usage);
  CHECK(inspector.answer(AskWaits{.chain = ChainId{"c"}, .step = "b", .item = 0}).error().code == Code::usage);
}

TEST_CASE("what waits in the whole cluster is told by reason") {
  Fixture f{{.workers = {{.id = "w1", .slots = 1, .labels = {"zone=a"}}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b")})), "hog");
  f.run();
  for (const std::string id : {"x", "y"}) f.submit(pin(composite({step("a", label_needed("gpu"))})), id);
  f.submit(pin(composite({step("a", over(3))})), "z");
  f.run();
  f.tell(actors::AskQueue{});
  f.run();
  REQUIRE(f.queues.size() == 1);
  const auto& groups = f.queues.front().groups;
  REQUIRE(groups.size() == 2);
  CHECK(engine::words(groups[0].reason, {}) == "no worker has label gpu; w1 lacks only that");
  CHECK(groups[0].chains == 2);
  CHECK(groups[0].some == std::vector{ChainId{"x"}, ChainId{"y"}});
  CHECK(groups[1].reason.code == ReasonCode::workers_busy);
  CHECK(groups[1].some == std::vector{ChainId{"z"}});
  CHECK(groups[1].orders > 0);
}

}  // namespace
}  // namespace catena::coordinator::test
