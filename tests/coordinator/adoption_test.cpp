// A coordinator that starts again adopts what its workers run: nothing of it is run a second time.
#include <catch2/catch.hpp>

#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

constexpr Millis kAdopt{30'000};

Options adopting() {
  Options options{.workers = {}};
  options.settings.adopt_ms = kAdopt.count();
  return options;
}

/// Answers what is held and has no result yet, of all orders.
void answer_all(FarEnd& far) {
  for (const auto& [key, held] : std::map{far.held}) {
    for (const auto item : held.items) {
      if (!held.results.contains(item)) far.answer(key.first, key.second, item);
    }
  }
}

TEST_CASE("running attempts are adopted after a restart, not run again") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a", over(6)), step("b")})));
  c.f.run();
  const auto began = far.executions.size();
  REQUIRE(began > 0);
  c.crash({&far});
  c.f.resume();
  c.f.await();
  c.f.run();
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  c.greet(far);
  CHECK(far.welcomes.back().epoch > far.welcomes.front().epoch);
  far.script = echo;
  answer_all(far);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  for (const auto* key : {"c/a/0", "c/a/1", "c/a/2", "c/a/3", "c/a/4", "c/a/5", "c/b"}) CHECK(far.runs(key) == 1);
  c.pass(Cluster::kHeartbeat, {&far});
  CHECK(far.held.empty());
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
}

TEST_CASE("results that a worker kept over a restart settle their items without another run") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  REQUIRE(far.runs("c/a") == 1);
  c.f.gate.shut = true;
  far.answer("c", 1, 0, R"({"kept": true})");
  c.f.run();
  c.f.gate.kept.clear();  // it was on its way to the disk when the power failed
  c.f.gate.shut = false;
  c.crash({&far});
  c.f.resume();
  c.f.await();
  c.f.run();
  c.greet(far);
  const auto ended = c.f.finish();
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(ended.response.text.find("kept") != std::string::npos);
  CHECK(far.runs("c/a") == 1);
}

TEST_CASE("a worker that does not come back is waited for, and then its attempts go elsewhere") {
  Cluster c{adopting()};
  FarEnd far{c.f.system, "w1"};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.crash({&far});
  c.f.resume();
  c.f.await();
  FarEnd other{c.f.system, "w2"};
  other.script = echo;
  c.greet(other);
  c.pass(kAdopt - Millis{1000}, {&other});
  CHECK(other.executions.empty());
  c.pass(Millis{2000}, {&other});
  CHECK(other.runs("c/a") == 1);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  CHECK(c.f.count<engine::AttemptsEnded>() == 1);
}

TEST_CASE("a lease that was made shorter is written when the longer one is over, not before: a restart meanwhile still knows of it") {
  constexpr std::int64_t kLong = 60'000;
  constexpr std::int64_t kShort = 5000;
  Options options{.workers = {}};
  options.lease_ms = kLong;
  options.own_lease_ms = kShort;
  Fixture f{options};
  storage::Batch batch;
  storage::put_lease(batch, kLong);
  caf::anon_send(f.services()->journal, actors::Commit{std::make_shared<storage::Batch>(batch), storage::Durability::sync, 0});
  f.run();
  f.advance(Millis{kLong - 1});
  CHECK(storage::load_lease(f.kv).value() == kLong);
  f.advance(Millis{1});
  CHECK(storage::load_lease(f.kv).value() == kShort);
}

TEST_CASE("workers have their time to come back from when they can, however long the coordinator reads its chains before") {
  auto options = adopting();
  options.opens = false;
  Cluster c{options};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.crash({&far});
  c.f.resume();
  c.f.await();
  c.pass(3 * kAdopt);
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  c.f.tell_dispatcher(actors::GateOpen{});
  c.pass(kAdopt - Millis{1000});
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
  c.greet(far);
  far.script = echo;
  answer_all(far);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  CHECK(far.runs("c/a") == 1);
}

TEST_CASE("another incarnation under the worker's name has nothing to adopt") {
  Cluster c{adopting()};
  FarEnd far{c.f.system, "w1", 1};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.crash({&far});
  c.f.resume();
  c.f.await();
  c.f.run();
  FarEnd next{c.f.system, "w1", 2};
  next.script = echo;
  c.greet(next);
  CHECK(next.runs("c/a") == 1);  // at once: nobody waits for what cannot come
  CHECK(c.f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a worker that holds nothing of what it was granted is told again") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.crash({&far});
  far.held.clear();  // the order never reached it
  far.executions.clear();
  far.script = echo;
  c.f.resume();
  c.f.await();
  c.greet(far);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  CHECK(far.runs("c/a") == 1);
  CHECK(c.f.count<engine::AttemptsEnded>() == 0);
}

TEST_CASE("a chain that is cancelled while its attempts wait to be adopted stops them when they are") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  c.crash({&far});
  c.f.resume();
  c.f.await();
  c.f.run();
  c.f.control("c", engine::Cancel{"enough"});
  c.f.run();
  CHECK_FALSE(c.f.has_ended());
  far.inbox.clear();
  c.greet(far);
  CHECK(far.count<actors::WorkOrder>() == 1);
  REQUIRE(far.count<actors::StopOrder>() == 1);
  CHECK(std::holds_alternative<actors::StopOrder>(far.inbox.back()));
  far.held.at({"c", 1}).results[0] = {0, false, to_json(make_error(Code::cancelled, "stopped")).dump(), 1};
  far.send_results("c", 1, {0});
  CHECK(c.f.finish().status == ChainStatus::cancelled);
  CHECK(far.runs("c/a") == 1);
}

TEST_CASE("a chain that is rebuilt after a defect claims what runs") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a", over(4))})));
  c.f.run();
  const auto began = far.executions.size();
  c.f.kill(c.f.coordinator_of());
  c.f.run();
  CHECK(far.executions.size() == began);
  far.script = echo;
  answer_all(far);
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  for (const auto* key : {"c/a/0", "c/a/1", "c/a/2", "c/a/3"}) CHECK(far.runs(key) == 1);
  c.pass(5 * Cluster::kLease, {&far});
  CHECK(far.held.empty());
  CHECK(far.count<actors::LetGo>() == 0);
}

TEST_CASE("wherever the power fails, every attempt of a worker that stays runs once") {
  const auto package = pin(composite({step("a"), step("b", over(7)), step("c", R"("arguments": {"l": "REF:b.response"})")}));
  std::size_t crashes = 0;
  for (std::size_t messages = 1;; messages += 3) {
    CAPTURE(messages);
    Cluster c{adopting()};
    FarEnd far{c.f.system};
    far.script = echo;
    c.greet(far);
    c.f.submit(package);
    if (c.f.run_messages(messages) < messages) break;
    c.crash({&far});
    if (!c.f.exists()) continue;
    ++crashes;
    c.f.resume();
    c.f.await();
    c.greet(far);
    const auto ended = c.f.finish();
    CHECK(ended.status == ChainStatus::succeeded);
    for (const auto* key : {"c/a", "c/b/0", "c/b/3", "c/b/6", "c/c"}) CHECK(far.runs(key) == 1);
    CHECK(c.f.count<engine::AttemptsEnded>() == 0);
    c.pass(5 * Cluster::kLease, {&far});  // what was durable before anybody could say so is claimed by nobody
    CHECK(far.held.empty());
  }
  CHECK(crashes > 10);
}

TEST_CASE("wherever a chain's coordinator dies of a defect, every attempt runs once") {
  const auto package = pin(composite({step("a"), step("b", over(7)), step("c", R"("arguments": {"l": "REF:b.response"})")}));
  std::size_t deaths = 0;
  for (std::size_t messages = 1;; messages += 3) {
    CAPTURE(messages);
    Cluster c{adopting()};
    FarEnd far{c.f.system};
    far.script = echo;
    c.greet(far);
    c.f.submit(package);
    if (c.f.run_messages(messages) < messages) break;
    if (!Fixture::state_of<SupervisorState>(c.f.supervisor).running.contains(ChainId{"c"}) || !c.f.coordinator_of()) continue;
    c.f.kill(c.f.coordinator_of());
    c.f.run();
    if (!c.f.has_ended() && !c.f.exists()) continue;
    ++deaths;
    CHECK(c.f.finish().status == ChainStatus::succeeded);
    for (const auto* key : {"c/a", "c/b/0", "c/b/3", "c/b/6", "c/c"}) CHECK(far.runs(key) == 1);
    c.pass(5 * Cluster::kLease, {&far});
    CHECK(far.held.empty());
  }
  CHECK(deaths > 10);
}

TEST_CASE("chains that a person started and that have not ended are those to go on with") {
  Cluster c{adopting()};
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("sub", {}, "/inner.tool")}), {{"/inner.tool", composite({step("a")})}}), "parent");
  c.f.submit(pin(composite({step("a")})), "paused");
  c.f.run();
  c.f.control("paused", engine::Pause{});
  c.f.run();
  far.script = echo;
  c.f.complete(pin(composite({step("a")})), "ended");
  const auto unfinished = unfinished_chains(c.f.kv);
  REQUIRE(unfinished);
  CHECK(std::set<ChainId>{unfinished->begin(), unfinished->end()} == std::set<ChainId>{ChainId{"parent"}, ChainId{"paused"}});
}

}  // namespace
}  // namespace catena::coordinator::test
