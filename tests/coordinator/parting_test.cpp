// Workers that leave: nothing is lost that never began, and nobody waits for who has left.
#include <catch2/catch.hpp>

#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

/// A step that may be made at most once was granted to a worker, and the record of that waits to be durable.
struct Granted : Cluster {
  Granted() {
    const std::string tool = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";
    f.submit(pin(composite({step("a", {}, "/once.tool")}), {{"/once.tool", tool}}));
    f.run();
    f.gate.shut = true;
    greet(far);
  }
  /// The record is durable; the first worker began nothing, and another one makes the step.
  void check_made_elsewhere() {
    f.open_gate();
    f.run();
    CHECK(far.executions.empty());
    FarEnd next{f.system, "w2", 2};
    next.script = echo;
    greet(next);
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(next.runs("c/a") == 1);
    CHECK(Fixture::state_of<FrontState>(front).sessions.size() == 1);
  }

  FarEnd far{f.system};
};

TEST_CASE("work that is on its way to a worker that says goodbye is given back: nothing is lost, nothing in doubt") {
  Granted c;
  c.far.say(actors::Goodbye{"drained"});
  c.f.run();
  CHECK(c.far.count<actors::Farewell>() == 1);
  c.far.hang_up();
  c.check_made_elsewhere();
}

TEST_CASE("a grant that never left is not lost with its worker, however that ended") {
  Granted c;
  c.far.hang_up();
  c.pass(Cluster::kLease + Cluster::kHeartbeat);
  REQUIRE(Fixture::state_of<FrontState>(c.front).sessions.empty());
  c.check_made_elsewhere();
}

TEST_CASE("a worker that said goodbye and holds nothing is gone at once: its next start is let in") {
  Cluster c;
  FarEnd far{c.f.system, "w1", 1};
  far.script = echo;
  c.greet(far);
  CHECK(c.f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
  far.say(actors::Goodbye{"drained"});
  c.f.run();
  FarEnd next{c.f.system, "w1", 2};
  c.greet(next);
  CHECK(next.linked());
}

TEST_CASE("a worker that says goodbye leaves at once") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  far.say(actors::Goodbye{"the host is shut down"});
  c.f.run();
  CHECK(c.logged("the host is shut down"));
  CHECK(c.f.count<engine::AttemptsEnded>() == 1);  // it was to have settled all, and had not
}

TEST_CASE("a drain is over when the worker has left: its next start takes work again, also after a restart of the coordinator") {
  Cluster c;
  FarEnd far{c.f.system, "w1", 1};
  c.greet(far);
  c.f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, actors::NodeVerb::drain});
  c.f.run();
  CHECK(far.count<actors::DrainNode>() == 1);
  far.say(actors::Goodbye{"drained"});
  c.f.run();
  const bool restarts = GENERATE(false, true);
  if (restarts) c.crash({&far});
  FarEnd next{c.f.system, "w1", 2};
  next.script = [](const auto& attempt) { return attempt.arguments; };
  c.greet(next);
  CHECK(c.f.complete(pin(composite({step("a")}))).status == engine::ChainStatus::succeeded);
  CHECK(next.count<actors::DrainNode>() == 0);
}

TEST_CASE("a worker that is to drain is told so again by a coordinator that starts anew, and another start of it gets nothing") {
  Cluster c;
  FarEnd far{c.f.system, "w1", 1};
  c.greet(far);
  c.f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, actors::NodeVerb::drain});
  c.f.run();
  c.crash({&far});
  c.greet(far);
  CHECK(far.count<actors::DrainNode>() == 2);
  far.hang_up();
  c.pass(2 * Cluster::kLease);  // it died, and said nothing
  FarEnd next{c.f.system, "w1", 2};
  next.script = [](const auto& attempt) { return attempt.arguments; };
  c.greet(next);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  CHECK(next.executions.empty());
  CHECK(next.count<actors::DrainNode>() == 0);
  c.f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, actors::NodeVerb::uncordon});
  CHECK(c.f.finish().status == engine::ChainStatus::succeeded);
}

TEST_CASE("a cordoned worker that leaves stays cordoned") {
  Cluster c;
  FarEnd far{c.f.system, "w1", 1};
  c.greet(far);
  c.f.tell_dispatcher(actors::NodeControl{WorkerId{"w1"}, actors::NodeVerb::cordon});
  c.f.run();
  far.say(actors::Goodbye{"its host is shut down"});
  c.f.run();
  FarEnd next{c.f.system, "w1", 2};
  c.greet(next);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  CHECK(next.executions.empty());
}

TEST_CASE("a worker that is to drain is told so over every link, until that is taken back") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.client->send(c.session_of(far), actors::DrainNode{true});
  c.f.run();
  CHECK(far.count<actors::DrainNode>() == 1);
  c.greet(far);
  CHECK(far.count<actors::DrainNode>() == 2);
  c.f.client->send(c.session_of(far), actors::DrainNode{false});
  c.f.run();
  REQUIRE(far.count<actors::DrainNode>() == 3);
  CHECK_FALSE(far.all<actors::DrainNode>().back().begin);
  c.greet(far);
  CHECK(far.count<actors::DrainNode>() == 3);
}

}  // namespace
}  // namespace catena::coordinator::test
