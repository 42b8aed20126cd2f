// A worker over a network, as its session sees it: links come and go, the incarnation stays until its lease ends.
#include <catch2/catch.hpp>

#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

actors::WorkOrder only_order(const FarEnd& far) {
  const auto orders = far.all<actors::WorkOrder>();
  REQUIRE(orders.size() == 1);
  return orders.front();
}

TEST_CASE("a worker that greets is welcomed, registers, and runs a chain over its link") {
  Cluster c;
  FarEnd far{c.f.system};
  far.script = echo;
  c.greet(far);
  REQUIRE(far.welcomes.size() == 1);
  CHECK(far.welcomes.front().lease_ms == Cluster::kLease.count());
  CHECK(far.welcomes.front().heartbeat_ms == Cluster::kHeartbeat.count());
  CHECK(far.welcomes.front().epoch == c.f.kv.epoch());
  CHECK(far.welcomes.front().store == "store-1");
  const auto ended = c.f.complete(pin(composite({step("a"), step("b", over(5))}, R"("response_reference_map": {"l": "REF:b.response"})")));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["l"] == Json{{{"i", 0}}, {{"i", 1}}, {{"i", 2}}, {{"i", 3}}, {{"i", 4}}});
  c.pass(Cluster::kHeartbeat, {&far});
  CHECK(far.executions.size() == 6);
  CHECK(far.held.empty());  // every order was said to be done, at the latest with the answer to a heartbeat
  CHECK(far.count<actors::LetGo>() == 0);
}

TEST_CASE("what a worker offers is in the table of nodes, its tool folders too") {
  Cluster c;
  FarEnd far{c.f.system};
  far.greeting.labels = {"zone=a"};
  far.greeting.capabilities = {"gpu"};
  far.greeting.tool_roots = {"/srv/tools"};
  c.greet(far);
  c.f.tell_dispatcher(actors::AskNodes{});
  c.f.run();
  REQUIRE(c.f.nodes.size() == 1);
  const auto& node = c.f.nodes.front();
  CHECK(node.labels == far.greeting.labels);
  CHECK(node.capabilities == far.greeting.capabilities);
  CHECK(node.tool_roots == far.greeting.tool_roots);
}

TEST_CASE("a lost link keeps the grant, and the order is sent again over the next with what is left of it") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a", over(3))})));
  c.f.run();
  REQUIRE_FALSE(far.held.empty());
  const auto orders = far.held.size();
  const auto [chain, grant] = far.held.begin()->first;
  const auto item = far.held.begin()->second.items.front();
  far.answer(chain, grant, item);
  c.f.run();
  far.hang_up();
  c.f.run();
  CHECK(c.logged("lost its connection"));
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  far.inbox.clear();
  c.greet(far);
  const auto again = far.all<actors::WorkOrder>();
  CHECK(again.size() == far.held.size());
  CHECK(far.held.size() <= orders);
  for (const auto& order : again) {
    for (const auto& attempt : order.attempts) CHECK_FALSE((order.grant == grant && attempt.item == item));
  }
  far.script = echo;
  for (const auto& [key, held] : std::map{far.held}) {
    for (const auto open : held.items) {
      if (!held.results.contains(open)) far.answer(key.first, key.second, open);
    }
  }
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  for (const auto* key : {"c/a/0", "c/a/1", "c/a/2"}) CHECK(far.runs(key) == 1);
}

TEST_CASE("when the lease ends what a worker had is granted elsewhere, and it comes back only as another incarnation") {
  Cluster c;
  FarEnd far{c.f.system, "w1"};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  REQUIRE(far.runs("c/a") == 1);
  FarEnd other{c.f.system, "w2"};
  other.script = echo;
  c.greet(other);
  c.pass(Cluster::kLease - Millis{500}, {&other});
  CHECK(other.executions.empty());
  c.pass(Millis{1000}, {&other});  // the link of the first is half open: it just says nothing
  CHECK(other.runs("c/a") == 1);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  CHECK(c.logged("given up"));
  const auto history = c.f.history().size();
  SECTION("what it says late changes nothing") {
    far.answer("c", 1, 0, R"({"late": true})");
    c.f.run();
    CHECK(c.f.history().size() == history);
  }
  c.greet(far);
  REQUIRE(far.turned.size() == 1);
  CHECK(far.turned.front().code == "stale_incarnation");
  far.held.clear();
  ++far.greeting.incarnation;
  c.greet(far);
  CHECK(far.linked());
  CHECK(c.f.history().size() == history);
}

TEST_CASE("a worker without a link is given up when its lease ends, and not before") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  far.hang_up();
  c.pass(Cluster::kLease - Millis{500});
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  c.pass(Millis{1000});
  CHECK(c.f.count<engine::AttemptsEnded>() == 1);
}

TEST_CASE("heartbeats hold the lease, and are answered with the time they were sent at") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.pass(4 * Cluster::kLease, {&far});
  CHECK(far.linked());
  const auto answers = far.all<actors::HeartbeatAck>();
  REQUIRE(answers.size() == static_cast<std::size_t>(far.beats));
  CHECK(answers.back().at_ms == far.beats);
  CHECK_FALSE(c.logged("given up"));
}

TEST_CASE("a coordinator that stood still reads what came meanwhile before it gives anybody up") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.advance(10 * Cluster::kLease);  // in one leap
  CHECK_FALSE(c.logged("given up"));
  far.beat();
  c.pass(Cluster::kLease - Millis{500});
  CHECK_FALSE(c.logged("given up"));
  c.pass(Millis{1000});
  CHECK(c.logged("given up"));
}

TEST_CASE("what is read right after a standstill does not hold the lease for longer than from then on") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  far.beat();  // read before the coordinator sees how late it is
  c.f.scheduler.advance_time(10 * Cluster::kLease);
  c.f.run();
  CHECK_FALSE(c.logged("given up"));
  c.pass(Cluster::kLease - Millis{500});
  CHECK_FALSE(c.logged("given up"));
  c.pass(Millis{1000} + Cluster::kHeartbeat);
  CHECK(c.logged("given up"));
}

TEST_CASE("a report that is said twice is answered as durable, and settles once") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a", over(2)), step("b", R"("arguments": {"l": "REF:a.response"})")})));
  c.f.run();
  for (const auto& [key, held] : std::map{far.held}) {
    for (const auto item : held.items) {
      far.answer(key.first, key.second, item, R"({"first": true})");
      auto& result = far.held.at(key).results.at(item);
      result.text = R"({"second": true})";
      far.send_results(key.first, key.second, {item, item});
    }
  }
  far.script = echo;
  const auto ended = c.f.finish();
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(ended.response.text.find("second") == std::string::npos);
  std::size_t settled = 0;
  for (const auto& event : c.f.history()) {
    if (const auto* items = std::get_if<engine::ItemsSettled>(&event)) settled += items->ok.size();
  }
  CHECK(settled == 3);
  c.pass(Cluster::kHeartbeat, {&far});
  CHECK(far.held.empty());
}

TEST_CASE("a worker may forget only what is durable") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.f.gate.shut = true;  // the disk takes its time
  far.answer("c", 1, 0, R"({"x": 1})");
  c.f.run();
  CHECK(far.count<actors::OrderDone>() == 0);
  SECTION("and it is told once it is") {
    c.f.open_gate();
    CHECK(c.f.finish().status == ChainStatus::succeeded);
    c.pass(Cluster::kHeartbeat, {&far});
    CHECK(far.count<actors::OrderDone>() == 1);
  }
  SECTION("and said to be nothing when the power fails before") {
    c.f.gate.kept.clear();
    c.f.gate.shut = false;
    c.crash({&far});
    CHECK(far.count<actors::OrderDone>() == 0);
    CHECK(far.held.size() == 1);
  }
}

TEST_CASE("an order is stopped over the next link when there is none at the moment") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  far.hang_up();
  c.f.run();
  c.f.control("c", engine::Cancel{"enough"});
  c.f.run();
  far.inbox.clear();
  c.greet(far);
  REQUIRE(far.inbox.size() >= 2);
  CHECK(std::holds_alternative<actors::WorkOrder>(far.inbox[0]));
  REQUIRE(std::holds_alternative<actors::StopOrder>(far.inbox[1]));
  CHECK(std::get<actors::StopOrder>(far.inbox[1]).grant == 1);
  far.held.at({"c", 1}).results[0] = {0, false, to_json(make_error(Code::cancelled, "stopped")).dump(), 1};
  far.send_results("c", 1, {0});
  CHECK(c.f.finish().status == ChainStatus::cancelled);
  CHECK(far.runs("c/a") == 1);
}

TEST_CASE("what a worker holds of orders that nobody has is let go of") {
  Cluster c;
  FarEnd far{c.f.system};
  SECTION("after four leases, when it came with it: somebody may claim it yet") {
    far.held[{"gone", 3}].items = {0};
    c.greet(far);
    c.pass(4 * Cluster::kLease - Millis{500}, {&far});
    CHECK(far.count<actors::LetGo>() == 0);
    c.pass(Millis{1500}, {&far});
    REQUIRE(far.count<actors::LetGo>() == 1);
    CHECK(far.all<actors::LetGo>().front().grant == 3);
  }
  SECTION("at once, when this session has seen all it was ever given") {
    c.greet(far);
    far.held[{"gone", 3}].items = {0};
    c.greet(far);
    CHECK(far.count<actors::LetGo>() == 1);
  }
  SECTION("at once, when it was given by another store") {
    far.greeting.store = "store-2";
    far.held[{"gone", 3}].items = {0};
    c.greet(far);
    CHECK(far.count<actors::LetGo>() == 1);
  }
}

TEST_CASE("an order whose chain died is let go of when the chain does not claim it") {
  Cluster c;  // without adoption: what the chain had is lost
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.f.kill(c.f.coordinator_of());
  c.f.run();
  REQUIRE(far.runs("c/a") == 2);  // the rebuilt chain runs it again
  c.pass(4 * Cluster::kLease + Cluster::kHeartbeat, {&far});
  REQUIRE(far.count<actors::LetGo>() == 1);
  CHECK(far.all<actors::LetGo>().front().grant == 1);
  far.answer("c", 2, 0);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("hostile frames close the link and nothing else") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  const auto order = only_order(far);
  SECTION("bytes that are no message") { far.say_bytes("\xff\x00 nonsense"); }
  SECTION("no bytes at all") { far.say_bytes(""); }
  SECTION("a message that is cut off") { far.say_bytes(actors::encode(actors::Heartbeat{1, 2, 3, 4, false}).substr(0, 5)); }
  SECTION("a message with something behind it") { far.say_bytes(actors::encode(actors::Heartbeat{1, 2, 3, 4, false}) + "x"); }
  SECTION("a gap") { far.say_frame({1000, 0, true, "x"}); }
  SECTION("an acknowledgement of what was never sent") { far.say_frame({1, 1000, true, "x"}); }
  SECTION("an order to the coordinator") { far.say(actors::WorkOrder{}); }
  SECTION("a second greeting") { far.say(far.greeting); }
  SECTION("an answer that nobody asked for") { far.say(actors::Content{}); }
  c.f.run();
  CHECK(far.broken);  // it is told at once
  CHECK(c.logged("lost its connection"));
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  far.inbox.clear();
  c.greet(far);
  CHECK(only_order(far).grant == order.grant);
  far.answer("c", 1, 0);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("frames of an earlier line are not heard, and that it is over ends nothing") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  const auto old = far.line();
  FarEnd again{c.f.system};  // the same incarnation, before the former line is seen to be over
  c.greet(again);
  CHECK(again.linked());
  CHECK(far.broken);
  old->bring({{2, 0, true, actors::encode(actors::Goodbye{"ghost"})}});
  old->lose("at last");
  c.f.run();
  CHECK_FALSE(c.logged("leaves"));
  CHECK_FALSE(c.logged("lost its connection"));
  again.beat();
  c.f.run();
  CHECK(again.count<actors::HeartbeatAck>() == 1);
}

TEST_CASE("a kind of message that this version does not know is passed over") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  far.say(codec::Unknown{"poem"});
  far.beat();
  c.f.run();
  CHECK(far.count<actors::HeartbeatAck>() == 1);
}

TEST_CASE("all that came over a line counts as taken") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  for (int times = 0; times < 100; ++times) far.beat();
  c.f.run();
  CHECK(far.line()->untaken == 0);
}

TEST_CASE("an order names its step, its tasks, and a commit that holds its grant") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  const auto order = only_order(far);
  CHECK(order.step == "a");
  CHECK(order.visit == 1);
  CHECK(order.attempts.front().key == "c/a");
  CHECK(order.commit > far.welcomes.front().commit);
  CHECK(order.commit <= c.f.kv.durable_commit());
}

TEST_CASE("reports of what was never ordered change nothing") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  const auto before = c.f.history().size();
  const auto say = [&](const std::string& chain, GrantId grant, Incarnation incarnation, ItemIndex item) {
    actors::WorkReport report;
    report.chain = chain;
    report.grant = grant;
    report.incarnation = incarnation;
    report.results = {{item, true, R"({"forged": true})", 1}};
    far.say(report);
    c.f.run();
  };
  say("c", 1, 1, 7);
  say("c", 1, 2, 0);
  say("c", 9, 1, 0);
  say("other", 1, 1, 0);
  CHECK(c.f.history().size() == before);
  CHECK(far.linked());
  CHECK(far.count<actors::OrderDone>() == 2);  // of what is not known: it may be forgotten
}

}  // namespace
}  // namespace catena::coordinator::test
