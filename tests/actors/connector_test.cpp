// Two actor systems in one process, as two nodes: they find each other over loopback, and what they keep of each other is given back.
#include <caf/all.hpp>
#include <caf/io/middleman.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "actors/caf_setup.hpp"
#include "actors/connector.hpp"
#include "actors/gate.hpp"

namespace catena::actors::test {
namespace {

struct Node {
  SystemConfig config{1, Reach::nodes};
  caf::actor_system system{config};
};

/// Answers each greeting with a welcome of the same link.
caf::behavior front(caf::event_based_actor*) {
  return {[](const Greeting& greeting) {
    Welcome welcome;
    welcome.link = greeting.link;
    welcome.store = greeting.pass;
    return welcome;
  }};
}

Result<caf::actor> find(caf::actor_system& system, std::uint16_t port, Millis patience = Millis{30'000}) {
  const auto found = std::make_shared<std::promise<Result<caf::actor>>>();
  auto result = found->get_future();
  find_published(system, port, patience, [found](Result<caf::actor> actor) { found->set_value(std::move(actor)); });
  return result.get();
}

Result<Connector::Call> call(Connector& connector) {
  const auto called = std::make_shared<std::promise<Result<Connector::Call>>>();
  auto result = called->get_future();
  connector.call([called](Result<Connector::Call> found) { called->set_value(std::move(found)); });
  return result.get();
}

std::optional<Welcome> greet(caf::actor_system& system, const caf::actor& whom, const std::string& pass = {}) {
  caf::scoped_actor self{system};
  Greeting greeting;
  greeting.link = 7;
  greeting.pass = pass;
  std::optional<Welcome> answer;
  self->request(whom, std::chrono::seconds{30}, std::move(greeting))
      .receive([&](const Welcome& welcome) { answer = welcome; }, [](const caf::error&) {});
  return answer;
}

/// A front behind a gate.
struct GatedFront {
  explicit GatedFront(const std::string& token = {}) {
    GateOptions options;
    options.listen = "127.0.0.1:0";
    options.forward_port = port;
    options.token = token;
    gate = std::move(GateServer::open(options).value());
  }
  ~GatedFront() {
    gate.reset();
    unpublish(server.system, actor, port);
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
  GatedFront(const GatedFront&) = delete;
  GatedFront& operator=(const GatedFront&) = delete;

  [[nodiscard]] DialerOptions dialer_options(const std::string& token = {}) const {
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(gate->port());
    options.token = token;
    return options;
  }

  Node server;
  caf::actor actor = server.system.spawn(front);
  std::uint16_t port = publish(server.system, actor).value();
  std::unique_ptr<GateServer> gate;
};

template <class Condition>
bool within_a_while(Condition holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return holds();
}

}  // namespace

TEST_CASE("nodes of one process have ids of their own") {
  Node one;
  Node other;
  CHECK(one.system.node() != other.system.node());
  CHECK(static_cast<bool>(one.system.node()));
}

TEST_CASE("a published actor is found over loopback and answers") {
  Node server;
  const auto actor = server.system.spawn(front);
  const auto port = publish(server.system, actor);
  REQUIRE(port);
  {
    Node client;
    const auto found = find(client.system, *port);
    REQUIRE(found);
    const auto welcome = greet(client.system, *found);
    REQUIRE(welcome);
    CHECK(welcome->link == 7);
  }
  unpublish(server.system, actor, *port);
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("where nobody is published, the finder is told so") {
  Node client;
  const auto found = find(client.system, 1);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::connection_failed);
}

TEST_CASE("what is kept of nodes that left is given back") {
  Node server;
  const auto actor = server.system.spawn(front);
  const auto port = publish(server.system, actor);
  REQUIRE(port);
  constexpr int kConnections = 20;  // each a node of its own
  for (int connection = 0; connection < kConnections; ++connection) {
    Node client;
    const auto found = find(client.system, *port);
    REQUIRE(found);
    REQUIRE(greet(client.system, *found));
  }
  CHECK(within_a_while([&] {
    forget_lost_nodes(server.system);
    return nodes_kept(server.system) == 0;
  }));
  unpublish(server.system, actor, *port);
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("a node that is still connected is not forgotten") {
  Node server;
  const auto actor = server.system.spawn(front);
  const auto port = publish(server.system, actor);
  REQUIRE(port);
  {
    Node client;
    const auto found = find(client.system, *port);
    REQUIRE(found);
    REQUIRE(greet(client.system, *found));
    forget_lost_nodes(server.system);
    CHECK(nodes_kept(server.system) == 1);
    CHECK(greet(client.system, *found));
  }
  unpublish(server.system, actor, *port);
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("a connector calls through dialer and gate, again and again, and one node stays one node") {
  GatedFront coordinator{"secret"};
  {
    Node worker;
    Connector connector{worker.system, coordinator.dialer_options("secret")};
    constexpr int kCalls = 200;
    for (int number = 0; number < kCalls; ++number) {
      const auto called = call(connector);
      REQUIRE(called);
      CHECK(coordinator.gate->peer(called->pass));
      REQUIRE(greet(worker.system, called->front, called->pass));
    }
    CHECK(within_a_while([&] {
      forget_lost_nodes(worker.system);
      return nodes_kept(worker.system) <= 1;
    }));
    connector.set_token("wrong");
    const auto refused = call(connector);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().details.value("refused", "") == "token");
    connector.hang_up();
  }
  CHECK(within_a_while([&] {
    forget_lost_nodes(coordinator.server.system);
    return nodes_kept(coordinator.server.system) == 0;
  }));
}

TEST_CASE("a new connection of a process takes the place of its earlier one, which may be half open") {
  GatedFront coordinator;
  {
    Node earlier;
    Node later;
    Node other;
    auto dialer = coordinator.dialer_options();
    dialer.node = "one-process";
    Connector first{earlier.system, dialer};
    Connector second{later.system, dialer};
    dialer.node = "another";
    Connector third{other.system, dialer};
    const auto one = call(first);
    const auto two = call(third);
    REQUIRE(one);
    REQUIRE(two);
    const auto three = call(second);
    REQUIRE(three);
    CHECK(within_a_while([&] { return !coordinator.gate->peer(one->pass); }));
    CHECK(greet(later.system, three->front));
    CHECK(greet(other.system, two->front));
    first.hang_up();
    second.hang_up();
    third.hang_up();
  }
}

}  // namespace catena::actors::test
