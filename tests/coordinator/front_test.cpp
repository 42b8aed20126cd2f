// What nodes meet first.
#include "coordinator/front.hpp"

#include <catch2/catch.hpp>

#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

TEST_CASE("a second worker of a name is turned away while the first is connected") {
  Cluster c;
  FarEnd first{c.f.system, "w1", 1};
  FarEnd second{c.f.system, "w1", 2};
  c.greet(first);
  c.greet(second);
  REQUIRE(second.turned.size() == 1);
  CHECK(second.turned.front().code == "node_taken");
  CHECK_FALSE(second.linked());
  first.beat();
  c.f.run();
  CHECK(first.count<actors::HeartbeatAck>() == 1);
}

TEST_CASE("a worker that starts anew is let in when the lease of its earlier start has ended, which may stand still behind a lost link") {
  Cluster c;
  FarEnd first{c.f.system, "w1", 50};
  c.greet(first);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  REQUIRE(first.runs("c/a") == 1);
  first.hang_up();
  c.f.run();
  Incarnation next = 0;
  SECTION("with a later number") { next = 51; }
  SECTION("with an earlier one") { next = 49; }  // numbers of starts need no order
  FarEnd second{c.f.system, "w1", next};
  second.script = echo;
  c.greet(second);
  CHECK_FALSE(second.linked());
  REQUIRE(second.turned.size() == 1);
  CHECK(second.turned.front().code == "lease_running");
  c.pass(Cluster::kLease + Cluster::kHeartbeat);
  c.greet(second);
  CHECK(second.linked());
  CHECK(second.runs("c/a") == 1);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  c.greet(first);
  REQUIRE(first.turned.size() == 1);
  CHECK(first.turned.front().code == "stale_incarnation");
  CHECK(second.linked());
}

TEST_CASE("a worker that starts anew in the place of its earlier start takes over at once") {
  Cluster c;
  FarEnd first{c.f.system, "w1", 50};
  first.greeting.home = "here";
  c.greet(first);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  REQUIRE(first.runs("c/a") == 1);
  Incarnation next = 0;
  SECTION("with a later number") { next = 51; }
  SECTION("with an earlier one") { next = 49; }  // numbers of starts need no order
  FarEnd second{c.f.system, "w1", next};
  second.greeting.home = "here";
  second.script = echo;
  c.greet(second);
  CHECK(second.linked());
  CHECK(second.runs("c/a") == 1);  // no lease had to end
  CHECK(c.f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a session that dies of a defect takes its incarnation along") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.f.kill(c.session_of(far));
  c.f.run();
  CHECK(c.f.count<engine::AttemptsEnded>() == 1);
  c.greet(far);
  REQUIRE(far.turned.size() == 1);
  CHECK(far.turned.front().code == "stale_incarnation");
}

TEST_CASE("versions that do not meet are refused with words") {
  Cluster c;
  FarEnd far{c.f.system};
  far.greeting.version_least = actors::kProtocolMost + 1;
  far.greeting.version_most = actors::kProtocolMost + 1;
  c.greet(far);
  REQUIRE(far.turned.size() == 1);
  CHECK(far.turned.front().code == "version");
  CHECK(far.turned.front().words.find("version 2") != std::string::npos);
  CHECK(c.logged("turned away"));
}

TEST_CASE("a worker is who its certificate says, and what the gate admitted it as") {
  Cluster c;
  FarEnd far{c.f.system};
  far.address = "10.1.2.3:4000";
  far.subject = "other";
  c.greet(far);
  REQUIRE(far.turned.size() == 1);
  CHECK(far.turned.front().code == "name_invalid");
  CHECK(far.turned.front().words.find("'other'") != std::string::npos);
  far.subject = "w1";
  c.greet(far);
  CHECK(far.linked());
  CHECK(c.logged("10.1.2.3:4000"));
  CHECK(c.logged("certificate of 'w1'"));
  FarEnd client{c.f.system};
  client.greeting.role = "client";
  client.peer_role = "worker";
  c.greet(client);
  REQUIRE(client.turned.size() == 1);
  CHECK(client.turned.front().code == "role");
}

TEST_CASE("who does not begin with one greeting is gone, and nobody else notices") {
  Cluster c;
  FarEnd well{c.f.system, "w2"};
  c.greet(well);
  FarEnd far{c.f.system};
  far.greet(c.front);
  SECTION("another message before the greeting is read") { far.say(actors::OrderDone{"c", 1}); }
  SECTION("bytes that are no message") { far.say_bytes("\xff?"); }
  SECTION("more than a greeting takes") { far.say_bytes(std::string(5U << 20U, 'x')); }
  c.f.run();
  CHECK(far.broken);
  CHECK(well.linked());
  CHECK(Fixture::state_of<FrontState>(c.front).guests.empty());
}

TEST_CASE("who says nothing behind the gate is gone after a while") {
  Cluster c;
  FarEnd far{c.f.system};
  far.open_line(c.front);
  c.f.run();
  CHECK(Fixture::state_of<FrontState>(c.front).guests.size() == 1);
  c.pass(Millis{11'000});
  CHECK(far.broken);
  CHECK(Fixture::state_of<FrontState>(c.front).guests.empty());
}

TEST_CASE("a worker that proves that it was told of more than the store has ends the coordinator before anything is granted") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  REQUIRE(far.welcomes.size() == 1);
  far.greeting.store = far.welcomes.front().store;
  far.greeting.life = far.welcomes.front().life;
  far.greeting.commit = far.welcomes.front().commit;
  c.greet(far);
  CHECK(far.linked());
  CHECK(c.rewound.empty());
  far.greeting.commit += 1'000'000;
  far.greeting.proof = c.settings->lineage.proof("w1", far.greeting.commit);
  c.greet(far);
  CHECK_FALSE(far.linked());
  REQUIRE(c.rewound.size() == 1);
  CHECK(c.rewound.front().code == Code::storage_rewound);
}

TEST_CASE("a worker that claims to have been told of more than the store has is turned away, and nobody else notices") {
  Cluster c;
  FarEnd liar{c.f.system};
  FarEnd other{c.f.system, "w2"};
  c.greet(liar);
  REQUIRE(liar.welcomes.size() == 1);
  liar.greeting.store = liar.welcomes.front().store;
  liar.greeting.commit = liar.welcomes.front().commit + 1;
  liar.greeting.proof = liar.welcomes.front().proof;
  for (const auto* life : {"life-1", "of nobody"}) {
    liar.greeting.life = life;
    c.greet(liar);
    CHECK_FALSE(liar.linked());
    CHECK(liar.turned.back().code == "rewound");
  }
  CHECK(c.rewound.empty());
  CHECK(c.logged("cannot prove it"));
  c.greet(other);
  CHECK(other.linked());
}

TEST_CASE("wherever a worker is told of a commit, what proves it goes along") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  const auto& lineage = c.settings->lineage;
  const auto& welcome = far.welcomes.front();
  CHECK(lineage.proves(welcome.proof, "w1", welcome.life, welcome.commit));
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  REQUIRE(far.count<actors::WorkOrder>() == 1);
  const auto order = far.all<actors::WorkOrder>().front();
  CHECK(order.commit > welcome.commit);
  CHECK(lineage.proves(order.proof, "w1", welcome.life, order.commit));
  far.answer_all();
  c.f.run();
  far.beat();
  c.f.run();
  const auto ack = far.all<actors::HeartbeatAck>().back();
  CHECK(ack.commit > order.commit);
  CHECK(lineage.proves(ack.proof, "w1", welcome.life, ack.commit));
}

struct Guests {
  std::vector<actors::Greeted> greeted;
  std::vector<caf::actor> sessions;
};

TEST_CASE("clients are handed to the session that was plugged in, and leave with the front") {
  Cluster c;
  FarEnd client{c.f.system};
  client.greeting.role = "client";
  c.greet(client);
  REQUIRE(client.turned.size() == 1);  // none is plugged in
  caf::anon_send_exit(c.front, caf::exit_reason::user_shutdown);
  c.f.run();
  const auto guests = std::make_shared<Guests>();
  c.clients = [guests](caf::actor_system& system, actors::Greeted greeted) {
    guests->greeted.push_back(std::move(greeted));
    guests->sessions.push_back(system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; }));
    return guests->sessions.back();
  };
  c.start_front();
  client.hang_up();
  c.f.run();
  const auto before = c.f.system.registry().running();
  c.greet(client);
  REQUIRE(guests->greeted.size() == 1);
  CHECK(guests->greeted.front().greeting.name == client.greeting.name);
  CHECK(c.f.system.registry().running() == before + 1);
  caf::anon_send_exit(c.front, caf::exit_reason::user_shutdown);
  c.f.run();
  CHECK(c.f.system.registry().running() == before - 1);  // without the front
  c.start_front();
}

TEST_CASE("a front that is told to stop admits nobody, and who is there stays") {
  Cluster c;
  FarEnd far{c.f.system, "w1"};
  c.greet(far);
  c.f.client->send(c.front, actors::StopAdmitting{});
  c.f.run();
  FarEnd late{c.f.system, "w2"};
  c.greet(late);
  REQUIRE(late.turned.size() == 1);
  CHECK(late.turned.front().code == "stopping");
  far.beat();
  c.f.run();
  CHECK(far.count<actors::HeartbeatAck>() == 1);
}

TEST_CASE("workers that come and go leave nothing behind") {
  Cluster c;
  const auto before = c.f.system.registry().running();
  for (Incarnation incarnation = 1; incarnation <= 50; ++incarnation) {
    if (incarnation.value % 2 == 0) c.pass(Cluster::kLease + Cluster::kHeartbeat);  // the one before left without a word
    FarEnd far{c.f.system, "w1", incarnation};
    c.greet(far);
    REQUIRE(far.linked());
    if (incarnation.value % 2 == 0) {
      far.say(actors::Goodbye{"done"});
      c.f.run();
    }
    far.hang_up();
    c.f.run();
  }
  c.pass(2 * Cluster::kLease);
  CHECK(c.f.system.registry().running() == before);
  CHECK(Fixture::state_of<FrontState>(c.front).sessions.empty());
  CHECK(Fixture::state_of<FrontState>(c.front).by_address.empty());
}

}  // namespace
}  // namespace catena::coordinator::test
