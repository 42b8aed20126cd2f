// Chains that sleep until their timer, and end in the turn that it brings: they come to what they would have come to with coordinators of their own.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/webhooks.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/scripted_sums.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

constexpr Millis kAskedEvery{1000};
constexpr Millis kAfterAll{1h};
const std::string kSumPath = "/sum.tool";

std::string sum(const std::string& id, const std::string& more = R"("arguments": {"i": 1})") { return step(id, more, kSumPath); }

Pinned pin_sums(const std::string& text) {
  return pin(text, {{kSumPath, kSumTool},
                    {"/inner.tool",
                     composite({sum("one", R"("arguments": {"i": "REF:arguments.i"})")}, R"("response_reference_map": {"out": "REF:one.i"})")}});
}
/// Waits for an hour, and then has one more step.
Pinned waits_and_sums(const std::string& then = "after") {
  return pin_sums(
      composite({sum("w"), sum(then, R"("arguments": {"x": "REF:w.i"})")}, R"("response_reference_map": {"x": "REF:)" + then + R"(.x"})"));
}

struct Sleepers {
  explicit Sleepers(Options options = {}) : f{with(std::move(options), sums)} {}
  static Options with(Options options, std::shared_ptr<const ComputingTools> tools) {
    options.computing = std::move(tools);
    options.settings.sleep_after_ms = kAskedEvery.count();
    return options;
  }
  SupervisorState& supervising() { return Fixture::state_of<SupervisorState>(f.supervisor); }
  void submit(const Pinned& package, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) f.submit(package, name(static_cast<int>(n)));
  }
  void fall_asleep(std::size_t count) {
    f.run();
    for (int asked = 0; asked < 3; ++asked) f.advance(kAskedEvery);
    REQUIRE(supervising().asleep == count);
  }
  static std::string name(int n) { return "c" + std::to_string(n); }

  std::shared_ptr<ScriptedSums> sums = std::make_shared<ScriptedSums>();
  Fixture f;
};

std::vector<std::string> event_kinds(const std::vector<engine::Event>& events) {
  std::vector<std::string> kinds;
  kinds.reserve(events.size());
  for (const auto& event : events) kinds.push_back(std::string{engine::name(event)});
  return kinds;
}

TEST_CASE("last turns: chains that are due together share a commit, get no coordinator, and have ended once it is durable") {
  constexpr std::size_t kChains = 8;
  Sleepers s;
  auto& f = s.f;
  s.submit(waits_and_sums(), kChains);
  s.fall_asleep(kChains);
  f.gate.shut = true;
  f.advance(kAfterAll);
  REQUIRE(f.gate.kept.size() == 1);
  CHECK(s.sums->calls().size() == 3 * kChains);
  CHECK(f.ended.empty());
  CHECK(s.supervising().running.size() == kChains);
  CHECK(s.supervising().asleep == 0);
  CHECK(s.supervising().by_address.empty());
  f.open_gate();
  f.run();
  REQUIRE(f.ended.size() == kChains);
  for (const auto& ended : f.ended) {
    CHECK(ended.status == ChainStatus::succeeded);
    CHECK(ended.response.text == R"({"x":1})");
  }
  CHECK(s.supervising().running.empty());
  CHECK(s.supervising().resting_bytes == 0);
  CHECK(f.script.executions.empty());
}

TEST_CASE("last turns: their histories and summaries are those of chains that come back with coordinators") {
  const auto run = [](Options options) {
    Sleepers s{std::move(options)};
    s.submit(waits_and_sums(), 1);
    s.f.submit(waits_and_sums("t"), "failing");
    s.fall_asleep(2);
    s.f.advance(kAfterAll);
    CHECK(s.f.finish("c0").status == ChainStatus::succeeded);
    const auto failed = s.f.finish("failing");
    CHECK(failed.status == ChainStatus::failed);
    REQUIRE(failed.error);
    std::vector<std::string> seen = event_kinds(s.f.history("c0"));
    std::ranges::copy(event_kinds(s.f.history("failing")), std::back_inserter(seen));
    for (const auto* chain : {"c0", "failing"}) {
      const auto summary = storage::load_summary(s.f.kv, ChainId{chain}).value().value();
      seen.push_back(summary.status + ' ' + summary.name + ' ' + summary.extra.dump() + ' ' + std::to_string(summary.last_sequence.value));
      seen.push_back(std::to_string(summary.finished_at - summary.started_at));
      const auto state = s.f.state(chain);
      seen.push_back(state.response.text + ' ' + std::to_string(state.last_grant.value) + ' ' + std::to_string(state.unsettled));
    }
    return seen;
  };
  CHECK(run({}) == run({.settings = {.resting_max = 0}}));
}

TEST_CASE("last turns: a list shows a chain that ended so as what it ended as, and only that") {
  Sleepers s;
  s.submit(waits_and_sums(), 3);
  s.fall_asleep(3);
  s.f.advance(kAfterAll);
  const auto listed = [&](const std::string& status) {
    std::size_t count = 0;
    const auto walked = storage::walk_summaries(
        s.f.kv, {.statuses = {status}}, [](std::size_t) { return true; },
        [&](const storage::ChainSummary&) {
          ++count;
          return true;
        });
    REQUIRE(walked);
    return count;
  };
  CHECK(listed("succeeded") == 3);
  CHECK(listed("running") == 0);
}

TEST_CASE("last turns: what needs more than a turn comes back with a coordinator, and nothing of the turn has happened") {
  Sleepers s;
  auto& f = s.f;
  const auto retried = R"("arguments": {"x": "REF:w.i"}, "retry": {"max_attempts": 2, "initial_interval": "1m", "jitter": 0})";
  const auto package = pin_sums(composite({sum("w"), sum("r", retried)}, R"("response_reference_map": {"x": "REF:r.x"})"));
  f.submit(package, "long");
  s.submit(waits_and_sums(), 2);
  s.fall_asleep(3);
  f.advance(kAfterAll);
  CHECK(f.has_ended("c0"));
  CHECK(f.has_ended("c1"));
  CHECK_FALSE(f.has_ended("long"));
  CHECK(s.supervising().running.at(ChainId{"long"}).life == SupervisorState::Life::lives);
  CHECK(f.count<engine::AttemptsEnded>("long") == 2);  // the one that waited, and the one that failed
  f.advance(1min);
  CHECK(f.has_ended("long"));
  CHECK(f.count<engine::VisitSettled>("long") == 2);
  f.run();
  CHECK(f.actors_left() <= 1);  // whoever takes last turns
}

TEST_CASE("last turns: a chain with a step that reaches outside has a coordinator from the moment that it is due") {
  Sleepers s;
  auto& f = s.f;
  f.submit(pin(composite({sum("w"), step("out", R"("arguments": {"x": "REF:w.i"})")}), {{kSumPath, kSumTool}}));
  s.fall_asleep(1);
  REQUIRE(s.supervising().running.begin()->second.rest);
  CHECK_FALSE(s.supervising().running.begin()->second.rest->only_computes);
  f.advance(kAfterAll);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/out") == 1);
  CHECK_FALSE(s.supervising().ending.taker);
}

TEST_CASE("last turns: what comes for a chain while its end is being written comes too late, and is answered") {
  Sleepers s;
  auto& f = s.f;
  s.submit(waits_and_sums(), 1);
  s.fall_asleep(1);
  f.gate.shut = true;
  f.advance(kAfterAll);
  f.control("c0", engine::Cancel{"enough"});
  f.tell(actors::AskExplain{ChainId{"c0"}});
  f.tell(actors::AskProgress{ChainId{"c0"}});
  f.await("c0");
  f.run();
  CHECK(f.refused.empty());
  f.open_gate();
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::chain_state);
  CHECK(f.explained.size() == 1);
  CHECK(f.state("c0").status == ChainStatus::succeeded);
  CHECK(f.ended.size() == 2);  // for its submitter, and for who asked later
}

TEST_CASE("last turns: children end so, too, and their parent goes on") {
  Sleepers s;
  auto& f = s.f;
  f.submit(pin_sums(composite({step("w", over(20), "/inner.tool")}, R"("response_reference_map": {"all": "REF:w.response"})")));
  f.run();
  s.fall_asleep(21);
  f.advance(kAfterAll);
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  auto all = Json::array();
  for (int n = 0; n < 20; ++n) all.push_back({{"out", n}});
  CHECK(Json::parse(ended.response.text)["all"] == all);
  CHECK(s.sums->calls().size() == 1 + 40);  // the first child was tried in its parent's turn
  f.run();
  CHECK(s.supervising().running.empty());
}

TEST_CASE("last turns: children of a chain that is paused do not end") {
  Sleepers s;
  auto& f = s.f;
  f.submit(pin_sums(composite({step("w", over(3), "/inner.tool")})));
  s.fall_asleep(4);
  f.control("c", engine::Pause{});
  f.run();
  for (int asked = 0; asked < 3; ++asked) f.advance(kAskedEvery);
  f.advance(kAfterAll);
  CHECK(f.state("c/w/1").status == ChainStatus::paused);
  CHECK(s.sums->calls().size() == 1 + 3);  // the first child was tried in its parent's turn
  f.control("c", engine::Unpause{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("last turns: a webhook for all chains is told of these ends, too") {
  Options options;
  options.settings.webhooks.push_back({Webhook{.url = "http://127.0.0.1:9/told"}});
  Sleepers s{std::move(options)};
  auto& f = s.f;
  s.submit(waits_and_sums(), 1);
  s.fall_asleep(1);
  f.advance(kAfterAll);
  CHECK(f.finish("c0").status == ChainStatus::succeeded);
  CHECK_FALSE(s.supervising().ending.taker);  // a coordinator of its own writes what is delivered
}

TEST_CASE("last turns: when whoever takes them dies of a defect, the chains come back with coordinators") {
  Sleepers s;
  auto& f = s.f;
  s.submit(waits_and_sums(), 20);
  s.fall_asleep(20);
  bool thrown = false;
  s.sums->answer = [&](const ScriptedSums::Call& call) {
    if (!std::exchange(thrown, true)) throw std::runtime_error{"a defect"};
    return call.arguments;
  };
  f.advance(kAfterAll);
  CHECK(thrown);
  CHECK(f.ended.size() == 20);
  for (int n = 0; n < 20; ++n) {
    CHECK(f.state(Sleepers::name(n)).status == ChainStatus::succeeded);
    CHECK(f.count<engine::ChainFinished>(Sleepers::name(n)) == 1);
  }
  CHECK(s.supervising().running.empty());
}

TEST_CASE("last turns: a crash before their commit, and one behind it, loses none of them and ends none twice") {
  constexpr int kChains = 30;
  for (const std::size_t passed : {0UL, 1UL, 2UL, 4UL}) {
    Sleepers s;
    auto& f = s.f;
    s.submit(waits_and_sums(), kChains);
    s.fall_asleep(kChains);
    f.gate.shut = true;
    f.advance(kAfterAll);
    for (std::size_t commit = 0; commit < passed && !f.gate.kept.empty(); ++commit) {
      f.pass_one_commit();
      f.run();
    }
    f.gate.kept.clear();
    f.gate.shut = false;
    f.crash();
    std::size_t ended = 0;
    for (int n = 0; n < kChains; ++n) {
      if (engine::terminal(f.state(Sleepers::name(n)).status)) {
        ++ended;
        continue;
      }
      f.resume(Sleepers::name(n));
    }
    CHECK((passed == 0) == (ended == 0));
    f.advance(kAfterAll);
    for (int n = 0; n < kChains; ++n) {
      CHECK(f.state(Sleepers::name(n)).status == ChainStatus::succeeded);
      CHECK(f.count<engine::ChainFinished>(Sleepers::name(n)) == 1);
      CHECK(f.count<engine::VisitSettled>(Sleepers::name(n)) == 2);
    }
  }
}

TEST_CASE("last turns: of many that are due a bounded part is on its way, however long the disk takes") {
  constexpr int kChains = 500;
  Sleepers s;
  auto& f = s.f;
  for (int n = 0; n < kChains; ++n) {
    f.submit(waits_and_sums(), Sleepers::name(n));
    if (n % 50 == 0) f.run();
  }
  s.fall_asleep(kChains);
  f.gate.shut = true;
  f.advance(kAfterAll);
  const auto under_way = kChains - s.supervising().asleep;
  CHECK(under_way > 0);
  CHECK(under_way <= 64);
  const auto commits = f.gate.kept.size();
  CHECK(commits * 4 <= under_way);
  f.pass_one_commit();
  f.run();
  CHECK(f.gate.kept.size() == commits);  // the next takes its place
  f.open_gate();
  f.run();
  CHECK(f.ended.size() == kChains);
  CHECK(s.supervising().running.empty());
}

TEST_CASE("last turns: a process that ends among them leaves no actor behind") {
  const auto left_after = [](std::size_t messages) {
    Sleepers s;
    s.submit(waits_and_sums(), 20);
    s.fall_asleep(20);
    s.f.scheduler.advance_time(kAfterAll);
    s.f.run_messages(messages);
    return s.f.end();
  };
  const auto standing = left_after(0);
  for (std::size_t messages = 1; messages < 40; ++messages) CHECK(left_after(messages) == standing);
}

}  // namespace
}  // namespace catena::coordinator::test
