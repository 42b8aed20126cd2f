// The connection of a worker: who it says it is, when it comes back, what survives. In virtual time.
#include "worker/uplink.hpp"

#include <catch2/catch.hpp>

#include "tests/worker/uplink_stage.hpp"

namespace catena::worker::test {
namespace {

TEST_CASE("a worker greets with what its node said, and with what it was given") {
  Stage stage;
  stage.await_greeting();
  const auto& greeting = stage.far().greetings.front();
  CHECK(greeting.role == "worker");
  CHECK(greeting.name == "w1");
  CHECK(greeting.incarnation == 40);
  CHECK(greeting.slots == 2);
  CHECK(greeting.labels == std::vector<std::string>{"zone=a"});
  CHECK(greeting.kinds == std::vector<std::string>{"builtin", "exec"});
  CHECK(greeting.capabilities == std::vector<std::string>{"gpu"});
  CHECK(greeting.tool_roots == std::vector<std::string>{"/tools"});
  CHECK(greeting.software == "1.2.3");
  CHECK(greeting.held.empty());
  CHECK_FALSE(stage.lease->holds());
  stage.welcome();
  CHECK(stage.status.linked);
  CHECK(stage.lease->holds());
}

TEST_CASE("a worker whose coordinator cannot be reached goes on trying, and says so once") {
  Stage stage;
  stage.reachable = false;
  stage.advance(Millis{60'000});
  CHECK(stage.calls > 10);
  CHECK(stage.calls < 40);  // the pauses grow to 5 s
  CHECK(stage.log.size() == 1);
  CHECK(stage.logged("connection refused"));
  stage.reachable = true;
  stage.welcome();
  CHECK(stage.status.linked);
}

TEST_CASE("a coordinator that does not answer the greeting is called again") {
  Stage stage;
  stage.await_greeting();
  stage.advance(Millis{15'000});
  CHECK(stage.calls >= 2);
  CHECK(stage.logged("does not answer"));
}

TEST_CASE("heartbeats tell what the slots do, and their echo renews the lease") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1, 2});
  stage.counters->running = 2;
  stage.counters->finished = 9;
  stage.advance(Millis{5'000});
  CHECK(stage.lease->holds());
  const auto beats = stage.far().all<actors::Heartbeat>();
  REQUIRE(beats.size() > 20);
  CHECK(beats.back().running == 2);
  CHECK(beats.back().queued == 1);
  CHECK(beats.back().finished == 9);
  CHECK_FALSE(beats.back().draining);
}

TEST_CASE("after a lost link the same incarnation greets on a new one, with what it holds") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.lose_link();
  CHECK_FALSE(stage.status.linked);
  stage.welcome();
  const auto& greeting = stage.far().greetings.back();
  CHECK(greeting.incarnation == 40);
  CHECK(greeting.store == "store");
  REQUIRE(greeting.held.size() == 1);
  CHECK(greeting.held.front().chain == "c");
  CHECK(greeting.held.front().grant == 1);
}

TEST_CASE("an order that comes twice runs once") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1});
  stage.order({0, 1});
  stage.lose_link();
  stage.welcome();
  stage.order({0, 1});
  CHECK(stage.node.orders.size() == 1);
  stage.finish(0);
  CHECK(stage.far().reported() == Items{0});
}

TEST_CASE("a result that found no link is sent when the order is asked for again") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1});
  stage.lose_link();
  stage.finish(1, 0, R"({"x":1})");
  stage.welcome();
  CHECK(stage.far().reported().empty());
  stage.order({0, 1});
  REQUIRE(stage.far().reported() == Items{1});
  const auto report = stage.far().all<actors::WorkReport>().front();
  CHECK(report.chain == "c");
  CHECK(report.grant == 1);
  CHECK(report.incarnation == 40);
  CHECK(report.results.front().text == R"({"x":1})");
}

TEST_CASE("what is sent again of a large order goes in messages of bounded size") {
  Stage stage;
  stage.welcome();
  Items items;
  for (std::uint32_t item = 0; item < 8; ++item) items.push_back(item);
  stage.order(items);
  stage.lose_link();
  for (const auto item : items) stage.finish(item, 0, Json(std::string(512UL << 10U, 'x')).dump());
  stage.welcome();
  stage.order(items);
  CHECK(stage.far().reported() == items);
  CHECK(stage.far().all<actors::WorkReport>().size() >= 3);
}

TEST_CASE("an order is forgotten when it is done") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.finish(0);
  stage.say(actors::OrderDone{"c", 1});
  CHECK(stage.node.stops.empty());
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().held.empty());
}

TEST_CASE("an order that nobody wants is stopped and forgotten, and what comes of it is not sent") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.say(actors::LetGo{"c", 1});
  REQUIRE(stage.node.stops.size() == 1);
  CHECK(stage.node.stops.front().grant == 1);
  stage.finish(0);
  CHECK(stage.far().reported().empty());
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().held.empty());
}

TEST_CASE("an order that is wanted after it was let go of is not begun again: the worker comes back as a new one") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.say(actors::LetGo{"c", 1});
  const auto before = stage.far().greetings.back().incarnation;
  stage.order({0});
  CHECK(stage.node.orders.size() == 1);
  stage.await_greeting();
  CHECK(stage.far().greetings.back().incarnation == before + 1);
  CHECK_FALSE(stage.lease->holds());
}

TEST_CASE("orders to stop and to give back reach the node") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1});
  stage.node.begun = {{1, 0}};
  stage.say(actors::GiveBackOrder{"c", 1});
  CHECK(stage.far().reported() == Items{1});
  CHECK(code_of(stage.far().all<actors::WorkReport>().front().results.front()) == Code::given_back);
  stage.say(actors::StopOrder{"c", 1});
  CHECK(stage.node.stops.size() == 1);
}

TEST_CASE("an order for another incarnation is none of this worker's") {
  Stage stage;
  stage.welcome();
  stage.status.incarnation = 39;
  stage.order({0});
  CHECK(stage.node.orders.empty());
}

TEST_CASE("a coordinator that falls silent is called again after a lease, and what has not begun is given back") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1});
  stage.node.begun = {{1, 0}};
  stage.far().echoes = false;  // it answers nothing any more
  stage.advance(Stage::kLease + Stage::kBeat);
  CHECK_FALSE(stage.status.linked);
  CHECK(stage.logged("silent"));
  CHECK_FALSE(stage.lease->holds());
  REQUIRE(stage.node.backs.size() == 1);
  stage.welcome();
  CHECK(stage.lease->holds());
  stage.order({0, 1});
  CHECK(stage.far().reported() == Items{1});
  CHECK(stage.node.orders.size() == 1);
}

TEST_CASE("a worker that was stopped for longer than its lease begins nothing when it goes on") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.clock->advance(Millis{60'000});  // no timer of the process ran
  CHECK_FALSE(stage.lease->holds());
  stage.advance(Millis{100});
  CHECK(stage.node.backs.size() == 1);
  CHECK_FALSE(stage.status.linked);
}

TEST_CASE("a worker that stood still begins nothing of before, however soon a coordinator welcomes it back") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  REQUIRE(stage.node.orders.size() == 1);
  CHECK(stage.lease->lets_begin(stage.node.orders.back().taking));
  stage.lose_link();
  stage.await_greeting();
  stage.clock->advance(Millis{60'000});  // no timer of the process ran
  stage.welcome();
  CHECK(stage.node.backs.size() == 1);
  stage.advance(Stage::kBeat);
  CHECK(stage.lease->holds());
  stage.order({1}, 2);
  REQUIRE(stage.node.orders.size() == 2);
  CHECK_FALSE(stage.lease->lets_begin(stage.node.orders.front().taking));
  CHECK(stage.lease->lets_begin(stage.node.orders.back().taking));
}

TEST_CASE("a lease is not renewed by an echo of what was never sent") {
  Stage stage;
  stage.welcome();
  const auto until = stage.lease->until_ms();
  stage.say(actors::HeartbeatAck{stage.clock->now_ms() + 50'000});
  CHECK(stage.lease->until_ms() == until);
}

TEST_CASE("a worker that was given up drops what it held and comes back as a new one") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.lose_link();
  stage.turn_away("stale_incarnation");
  REQUIRE(stage.node.stops.size() == 1);
  CHECK_FALSE(stage.lease->holds());
  stage.await_greeting();
  CHECK(stage.far().greetings.back().incarnation == 41);
  CHECK(stage.far().greetings.back().held.empty());
  stage.welcome();
  CHECK(stage.status.incarnation == 41);
  // the same grant again is a new order, and what the old attempt says means nothing
  stage.order({0});
  REQUIRE(stage.node.orders.size() == 2);
  stage.finish(0, 0, "[]");
  CHECK(stage.far().reported().empty());
  stage.finish(0, 1, "{}");
  CHECK(stage.far().reported() == Items{0});
}

TEST_CASE("a name that is taken is asked for again, and the person is told once") {
  Stage stage;
  for (int tries = 0; tries < 4; ++tries) stage.turn_away("node_taken");
  CHECK(stage.log.size() == 1);
  CHECK(stage.warned);
  CHECK(stage.logged("node_taken"));
  CHECK(stage.logged("as the script says"));
  stage.welcome();
  CHECK(stage.status.linked);
  CHECK(stage.status.incarnation == 40);
}

TEST_CASE("versions that do not fit are tried slowly") {
  Stage stage;
  stage.turn_away("version");
  const auto calls = stage.calls;
  stage.advance(Millis{29'000});
  CHECK(stage.calls == calls);
  stage.advance(Millis{2'000});
  CHECK(stage.calls == calls + 1);
}

TEST_CASE("a coordinator that answers in a version that this worker does not speak gets no link") {
  Stage stage;
  stage.await_greeting();
  stage.say(actors::Welcome{9, 1, "store", "life", 10, "9.0", 1000, 100});
  CHECK_FALSE(stage.status.linked);
  CHECK(stage.logged("protocol version 9"));
}

TEST_CASE("a gap in the frames breaks the link, and the next one is sound") {
  Stage stage;
  stage.welcome();
  stage.bring_frame({77, 0, true, "x"});
  CHECK_FALSE(stage.status.linked);
  CHECK(stage.logged("broke"));
  stage.welcome();
  stage.order({0});
  CHECK(stage.node.orders.size() == 1);
}

TEST_CASE("a damaged message breaks the link") {
  Stage stage;
  stage.welcome();
  stage.bring_frame({2, 0, true, "\xff nonsense"});
  CHECK_FALSE(stage.status.linked);
}

TEST_CASE("what comes late on an older link is ignored") {
  Stage stage;
  stage.welcome();
  stage.bring_frame({77, 0, true, "x"});
  stage.welcome();
  REQUIRE(stage.lines.size() == 2);
  auto& old = *stage.lines.front();
  actors::WorkOrder late;
  late.chain = "c";
  late.grant = 5;
  late.incarnation = 40;
  late.attempts.push_back({"c/a", 0, 1, "{}"});
  stage.bring_late(old, late);
  stage.bring_late(old, actors::Welcome{actors::kProtocolMost, 1, "other", "life", 10, "1.2.3", 1000, 100});
  stage.bring_late(old, actors::TurnedAway{"stale_incarnation", "late"});
  CHECK(stage.node.orders.empty());
  CHECK(stage.status.linked);
  CHECK(stage.status.incarnation == 40);
}

TEST_CASE("a turned away link that stood is let go of at once") {
  Stage stage;
  stage.welcome();
  stage.say(actors::TurnedAway{"stopping", "the coordinator stops"});
  CHECK_FALSE(stage.status.linked);
  CHECK(stage.logged("stopping"));
}

TEST_CASE("what was held for another store is dropped") {
  Stage stage;
  stage.welcome("first");
  stage.order({0});
  stage.lose_link();
  stage.welcome("second");
  CHECK(stage.node.stops.size() == 1);
  stage.order({0});
  CHECK(stage.node.orders.size() == 2);
}

TEST_CASE("what was given in a life that the store has lost is let go of, and the worker comes back as a new one") {
  Stage stage;
  stage.welcome("store", "one", 50);
  stage.order({0});
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().life == "one");
  CHECK(stage.far().greetings.back().commit == 50);
  stage.turn_away("rewound");
  CHECK(stage.node.stops.size() == 1);
  CHECK_FALSE(stage.lease->holds());
  stage.await_greeting();
  CHECK(stage.far().greetings.back().held.empty());
  CHECK(stage.far().greetings.back().incarnation == 41);
  CHECK(stage.far().greetings.back().life.empty());
}

TEST_CASE("the highest commit that it was told of goes into the next greeting, and is that of one life") {
  Stage stage;
  stage.welcome("store", "one", 50);
  actors::WorkOrder order;
  order.chain = "c";
  order.grant = 7;
  order.incarnation = 40;
  order.commit = 60;
  order.proof = "of 60";
  order.attempts.push_back({"c/a", 0, 1, "{}"});
  stage.say(order);
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().commit == 60);
  CHECK(stage.far().greetings.back().proof == "of 60");
  stage.welcome("store", "one", 55);  // by a session that read it before
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().commit == 60);
  CHECK(stage.far().greetings.back().proof == "of 60");
  stage.welcome("store", "two", 20);
  stage.lose_link();
  stage.await_greeting();
  CHECK(stage.far().greetings.back().proof.empty());
  CHECK(stage.far().greetings.back().life == "two");
  CHECK(stage.far().greetings.back().commit == 20);
}

TEST_CASE("a result is kept for its task: an order of another under the same number is not answered with it") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.finish(0);
  REQUIRE(stage.far().reported() == Items{0});
  stage.lose_link();
  stage.welcome();
  actors::WorkOrder other;
  other.chain = "c";
  other.grant = 1;
  other.incarnation = 40;
  other.attempts.push_back({"c/b", 0, 1, "{}"});
  stage.say(other);
  CHECK(stage.far().reported().empty());
  CHECK(stage.node.orders.size() == 1);
  stage.await_greeting();
  CHECK(stage.far().greetings.back().incarnation == 41);
}

TEST_CASE("an uplink passes over a kind of message that it does not know") {
  Stage stage;
  stage.welcome();
  stage.say(codec::Unknown{"poem"});
  CHECK(stage.status.linked);
}

TEST_CASE("an uplink ends with its node") {
  Stage stage;
  stage.welcome();
  caf::anon_send_exit(stage.node_actor, caf::exit_reason::kill);
  stage.run();
  CHECK(stage.status.done);
  CHECK(stage.status.ending == Ending::slots_ended);
  CHECK_FALSE(stage.lease->holds());
}

TEST_CASE("the lease is renewed by whatever says that a heartbeat arrived, and its echo may still wait behind a program") {
  Stage stage;
  stage.welcome();
  stage.far().echoes = false;
  const auto until = stage.lease->until_ms();
  stage.advance(Stage::kBeat);
  REQUIRE_FALSE(stage.far().all<actors::Heartbeat>().empty());
  CHECK(stage.lease->until_ms() == until);
  stage.say(actors::StopOrder{"c", 9});
  CHECK(stage.lease->until_ms() > until);
}

TEST_CASE("a frame that only acknowledges renews no lease: nobody says that it came") {
  Stage stage;
  stage.welcome();
  stage.far().echoes = false;
  stage.advance(Stage::kBeat);
  stage.say(actors::StopOrder{"c", 9});  // all that left is acknowledged
  stage.clock->advance(Millis{50});
  const auto until = stage.lease->until_ms();
  actors::Content content;
  content.bytes.assign(600'000, 'x');  // the worker answers with nothing but acknowledgements
  stage.say(content);
  stage.say(actors::StopOrder{"c", 9});
  CHECK(stage.lease->until_ms() == until);
}

TEST_CASE("what came is acknowledged with the next beat at the latest") {
  Stage stage;
  stage.welcome();
  stage.far().echoes = false;
  stage.say(actors::StopOrder{"c", 9});
  stage.advance(2 * Stage::kBeat);
  CHECK(stage.far().link.acked() == stage.far().link.sent());
}

}  // namespace
}  // namespace catena::worker::test
