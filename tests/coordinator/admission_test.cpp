// Who may link up.
#include "coordinator/admission.hpp"

#include <catch2/catch.hpp>

namespace catena::coordinator {
namespace {

constexpr UnixMillis kNow = 1'700'000'000'000;
constexpr UnixMillis kDay = 24 * 3600 * 1000LL;
const WorkerId kW1{"w1"};

actors::Greeting worker(const std::string& name = "w1", Incarnation incarnation = 1) {
  actors::Greeting greeting;
  greeting.role = "worker";
  greeting.name = name;
  greeting.incarnation = incarnation;
  greeting.slots = 2;
  greeting.software = "0.2.0";
  return greeting;
}

actors::Greeting client() {
  actors::Greeting greeting;
  greeting.role = "client";
  return greeting;
}

Admission coordinator() {
  Admission admission;
  admission.software = "0.1.0";
  admission.store = "store";
  admission.lineage = storage::Lineage{{{"one", 5, false}, {"two", 50, false}}, "secret"};
  admission.durable_commit = 60;
  return admission;
}

Verdict ask(const actors::Greeting& greeting, const Registry& registry = {}) {
  return decide(greeting, link::Peer{"10.0.0.2:999", greeting.role, {}}, coordinator(), registry);
}

std::string code(const Verdict& verdict) {
  const auto* away = std::get_if<TurnAway>(&verdict);
  return away == nullptr ? "" : away->code;
}
std::string words(const Verdict& verdict) { return std::get<TurnAway>(verdict).words; }
Admit::How how(const Verdict& verdict) { return std::get<Admit>(verdict).how; }

TEST_CASE("a worker that nobody knows is admitted, with a session of its own") { CHECK(how(ask(worker())) == Admit::How::fresh); }

TEST_CASE("the incarnation that has a session comes back to it, linked or not") {
  Registry registry;
  registry.begin(kW1, 7);
  CHECK(how(ask(worker("w1", 7), registry)) == Admit::How::again);
  registry.set_linked(kW1, 7, false);
  CHECK(how(ask(worker("w1", 7), registry)) == Admit::How::again);
}

TEST_CASE("a second worker of one name is refused until the first is given up, whether that has a link or not") {
  Registry registry;
  registry.begin(kW1, 7);
  const auto refused = ask(worker("w1", 8), registry);
  CHECK(code(refused) == "node_taken");
  CHECK(words(refused).find("'w1'") != std::string::npos);
  registry.set_linked(kW1, 7, false);
  const auto later = ask(worker("w1", 8), registry);
  CHECK(code(later) == "lease_running");
  CHECK(words(later).find("'w1'") != std::string::npos);
  CHECK(how(ask(worker("w2", 8), registry)) == Admit::How::fresh);
}

TEST_CASE("who holds the place of the earlier start has proved that it has ended, and replaces it at once") {
  for (const bool linked : {true, false}) {
    Registry registry;
    registry.begin(kW1, 7, "here");
    registry.set_linked(kW1, 7, linked);
    auto next = worker("w1", 8);
    CHECK_FALSE(code(ask(next, registry)).empty());
    next.home = "there";
    CHECK_FALSE(code(ask(next, registry)).empty());
    next.home = "here";
    CHECK(how(ask(next, registry)) == Admit::How::replaces);
  }
}

TEST_CASE("what a session of another incarnation says of its link changes nothing") {
  Registry registry;
  registry.begin(kW1, 8);
  registry.set_linked(kW1, 7, false);
  CHECK(registry.find(kW1)->linked);
}

TEST_CASE("an incarnation that was given up never comes back, and others of the name may") {
  Registry registry;
  registry.begin(kW1, 7);
  CHECK(registry.give_up(kW1, 7, kNow));
  CHECK_FALSE(registry.give_up(kW1, 7, kNow));
  CHECK(registry.find(kW1) == nullptr);
  CHECK(code(ask(worker("w1", 7), registry)) == "stale_incarnation");
  CHECK(how(ask(worker("w1", 8), registry)) == Admit::How::fresh);
  CHECK(how(ask(worker("w2", 7), registry)) == Admit::How::fresh);
}

TEST_CASE("a given-up incarnation stays so while another of its name is linked") {
  Registry registry;
  registry.give_up(kW1, 7, kNow);
  registry.begin(kW1, 8);
  CHECK(code(ask(worker("w1", 7), registry)) == "stale_incarnation");
}

TEST_CASE("incarnations that were given up are remembered for a day, and not for ever") {
  Registry registry;
  for (Incarnation incarnation = 1; incarnation <= 1000; ++incarnation) registry.give_up(kW1, incarnation, kNow);
  registry.give_up(kW1, 2000, kNow + kDay);
  CHECK(registry.given_up_count() == 1001);
  CHECK(registry.given_up(kW1, 1));
  registry.give_up(kW1, 2001, kNow + kDay + 1);
  CHECK(registry.given_up_count() == 2);
  CHECK_FALSE(registry.given_up(kW1, 1));
  CHECK(registry.given_up(kW1, 2000));
}

TEST_CASE("of many incarnations that were given up at once the latest are remembered") {
  Registry registry;
  constexpr Incarnation kMany = 30'000;
  for (Incarnation incarnation = 1; incarnation <= kMany; ++incarnation) registry.give_up(kW1, incarnation, kNow);
  CHECK(registry.given_up_count() == 10'000);
  CHECK(registry.given_up(kW1, kMany));
  CHECK_FALSE(registry.given_up(kW1, 1));
}

TEST_CASE("versions that do not meet are refused in words that name both ranges") {
  auto greeting = worker();
  greeting.version_least = actors::kProtocolMost + 1;
  greeting.version_most = actors::kProtocolMost + 3;
  const auto refused = ask(greeting);
  REQUIRE(code(refused) == "version");
  CHECK(words(refused) ==
        "this coordinator (catena 0.1.0) speaks version 2 of the protocol, the node (catena 0.2.0) versions 3 to 5: update the older one");
}

TEST_CASE("versions that meet are spoken at the highest that both know") {
  auto greeting = worker();
  greeting.version_least = 0;
  greeting.version_most = actors::kProtocolMost + 5;
  CHECK(std::get<Admit>(ask(greeting)).version == actors::kProtocolMost);
  greeting.version_most = actors::kProtocolLeast;
  CHECK(std::get<Admit>(ask(greeting)).version == actors::kProtocolLeast);
}

TEST_CASE("a node speaks only in the role that the gate admitted it for") {
  const link::Peer as_client{"10.0.0.2:999", "client", "anna"};
  CHECK(code(decide(worker(), as_client, coordinator(), {})) == "role");
  CHECK(how(decide(client(), as_client, coordinator(), {})) == Admit::How::fresh);
  const link::Peer as_worker{"10.0.0.2:999", "worker", "w1"};
  CHECK(how(decide(worker(), as_worker, coordinator(), {})) == Admit::How::fresh);
  CHECK(code(decide(client(), as_worker, coordinator(), {})) == "role");
}

TEST_CASE("a worker has the name of its certificate, and no other") {
  const link::Peer peer{"10.0.0.2:999", "worker", "w2"};
  const auto refused = decide(worker("w1"), peer, coordinator(), {});
  CHECK(code(refused) == "name_invalid");
  CHECK(words(refused).find("--name w2") != std::string::npos);
  CHECK(how(decide(worker("w2"), peer, coordinator(), {})) == Admit::How::fresh);
}

TEST_CASE("a worker that remembers what the store has is let in, one that proves that it remembers more ends the coordinator") {
  auto greeting = worker();
  greeting.store = "store";
  const auto told = [&](const std::string& life, std::uint64_t commit) {
    greeting.life = life;
    greeting.commit = commit;
    greeting.proof = storage::commit_proof("secret", "w1", life, commit);
    return ask(greeting);
  };
  CHECK(how(told("one", 50)) == Admit::How::fresh);
  CHECK(how(told("two", 60)) == Admit::How::fresh);
  CHECK(std::holds_alternative<Rewound>(told("one", 51)));
  CHECK(std::holds_alternative<Rewound>(told("two", 61)));
  CHECK(std::holds_alternative<Rewound>(told("three", 1)));
  greeting.store = "another";  // then it remembers nothing of this one
  CHECK(how(told("three", 1)) == Admit::How::fresh);
}

TEST_CASE("a worker that claims to remember more than the store has, and cannot prove it, has to let go of what it held") {
  auto greeting = worker();
  greeting.store = "store";
  const auto told = [&](const std::string& life, std::uint64_t commit, std::string proof) {
    greeting.life = life;
    greeting.commit = commit;
    greeting.proof = std::move(proof);
    return ask(greeting);
  };
  CHECK(code(told("three", 1, {})) == "rewound");
  CHECK(code(told("two", 61, {})) == "rewound");
  CHECK(code(told("two", 61, storage::commit_proof("secret", "w1", "two", 60))) == "rewound");
  CHECK(code(told("three", 61, storage::commit_proof("secret", "w1", "two", 61))) == "rewound");
  CHECK(code(told("two", 61, storage::commit_proof("secret", "w2", "two", 61))) == "rewound");  // what another was told
  CHECK(code(told("two", 61, storage::commit_proof("guessed", "w1", "two", 61))) == "rewound");
  CHECK(words(told("two", 61, {})).find("commit 61") != std::string::npos);
  CHECK(how(told("two", 60, {})) == Admit::How::fresh);  // of a build without proofs: nothing is lost
}

TEST_CASE("what the store has lost with a person's knowledge is let go of") {
  auto admission = coordinator();
  admission.lineage = storage::Lineage{{{"one", 5, false}, {"two", 50, true}}, "secret"};
  auto greeting = worker();
  greeting.store = "store";
  greeting.life = "one";
  greeting.commit = 55;
  CHECK(code(decide(greeting, link::Peer{{}, "worker", {}}, admission, {})) == "rewound");
}

TEST_CASE("there are two roles") {
  auto greeting = worker();
  greeting.role = "coordinator";
  CHECK(code(ask(greeting)) == "role");
  CHECK(how(ask(client())) == Admit::How::fresh);
}

TEST_CASE("names that could be mistaken are refused") {
  for (const std::string name : {"", "a b", "a/b", "chains", "coordinator", "w\n1", "w\xc3\xa4"}) {
    CAPTURE(name);
    CHECK(code(ask(worker(name))) == "name_invalid");
  }
  CHECK(code(ask(worker(std::string(65, 'a')))) == "name_invalid");
  CHECK(how(ask(worker(std::string(64, 'a')))) == Admit::How::fresh);
  CHECK(how(ask(worker("rack-3_node.7"))) == Admit::How::fresh);
}

TEST_CASE("offers out of all measure are refused") {
  auto greeting = worker();
  SECTION("no slots") { greeting.slots = 0; }
  SECTION("too many slots") { greeting.slots = 1'000'000; }
  SECTION("too many labels") { greeting.labels.resize(5000, "a=b"); }
  SECTION("a label that is too long") { greeting.labels.emplace_back(1UL << 20U, 'a'); }
  CHECK(code(ask(greeting)) == "name_invalid");
}

TEST_CASE("a coordinator that stops admits nobody") {
  auto admission = coordinator();
  admission.stopping = true;
  CHECK(code(decide(worker(), link::Peer{{}, "worker", {}}, admission, {})) == "stopping");
  CHECK(code(decide(client(), link::Peer{{}, "client", {}}, admission, {})) == "stopping");
}

}  // namespace
}  // namespace catena::coordinator
