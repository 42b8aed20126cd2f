// Nothing poisons a coordinator: not a chain that starts others without end, not one that fills the memory, not one that ends the process
// whenever it runs.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

/// Calls itself twice, wherever it is.
Pinned poison() { return pin(composite({step("a", kAlways, "/main.tool"), step("b", kAlways, "/main.tool")})); }

Pinned family(int children, const std::string& inner = composite({step("one")})) {
  return pin(composite({step("sub", over(children), "/inner.tool")}), {{"/inner.tool", inner}});
}

SupervisorState& supervisor_of(Fixture& f) { return Fixture::state_of<SupervisorState>(f.supervisor); }

std::uint32_t live(Fixture& f, const std::string& chain = "c") { return supervisor_of(f).families.live(ChainId{chain}); }

std::vector<ChainId> chains_with(const Fixture& f, const std::string& status) {
  std::vector<ChainId> chains;
  REQUIRE(storage::list_summaries(f.kv, {.statuses = {status}}, [&](const auto& summary) { return chains.push_back(summary.id), true; }));
  return chains;
}

Error innermost(const Error& error) {
  auto root = error;
  while (root.cause) root = Error{*root.cause};
  return root;
}

TEST_CASE("a chain that calls itself twice for ever stays within its family's bound, and fails with family_limit") {
  for (const std::uint32_t bound : {1U, 2U, 5U, 12U}) {
    CAPTURE(bound);
    Fixture f{{.settings = {.family_max = bound}}};
    f.submit(poison());
    while (!f.has_ended() && (f.run_messages(7) > 0 || f.scheduler.trigger_timeout())) {
      CHECK(live(f) <= bound);
      CHECK(supervisor_of(f).running.size() <= bound + 1);
    }
    REQUIRE(f.has_ended());
    CHECK(f.ended.front().status == ChainStatus::failed);
    CHECK(innermost(f.ended.front().error.value()).code == Code::family_limit);
    f.run();
    CHECK(chains_with(f, "running").empty());
    CHECK(f.actors_left() == 0);
  }
}

TEST_CASE("children beyond the bound wait without a grant or a record, and run when others have ended") {
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.family_max = 8}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(20));
  f.run();
  CHECK(live(f) == 5);  // room is kept for children of theirs
  CHECK(f.state().steps[0].in_flight == 5);
  CHECK(chains_with(f, "running").size() == 6);
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  f.script.release("c/sub/0/one", answer("{}"));
  f.run();
  CHECK(f.script.count("c/sub/5/one") == 1);
  for (const auto* item : {"1", "2", "3", "4"}) f.script.release(std::string{"c/sub/"} + item + "/one", answer("{}"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.state().steps[0].ok.count() == 20);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a family that is full does not hold up another") {
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.family_max = 4}}};
  f.script.on("c/sub/0/one", held());
  f.script.on("c/sub/1/one", held());
  f.script.on("c/sub/2/one", held());
  f.submit(family(9));
  f.run();
  CHECK(f.complete(family(9), "d").status == ChainStatus::succeeded);
  CHECK_FALSE(f.has_ended());
}

TEST_CASE("a paused chain waits for its person, however full its family is") {
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.family_max = 1}}};
  f.script.on("c/sub/0/one", held());
  f.submit(family(2));
  f.run();
  f.control("c/sub/0", engine::Pause{});
  f.script.release("c/sub/0/one", answer("{}"));
  f.advance(1min);
  CHECK_FALSE(f.has_ended());
  f.control("c/sub/0", engine::Unpause{});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a family whose chains die and are rebuilt stays within its bound and ends") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Fixture f{{.workers = {{.slots = 64}}, .settings = {.family_max = 6}, .seed = seed}};
    std::mt19937 random{seed};
    f.submit(pin(composite({step("sub", over(12), "/inner.tool")}),
                 {{"/inner.tool", composite({step("deeper", {}, "/leaf.tool")})}, {"/leaf.tool", composite({step("one")})}}));
    for (int kills = 0; kills < 5 && !f.has_ended(); ++kills) {
      f.run_messages(random() % 200);
      std::vector<caf::actor> coordinators;
      for (const auto& [chain, running] : supervisor_of(f).running) {
        if (running.coordinator && running.rebuilt < 3) coordinators.push_back(running.coordinator);
      }
      if (!coordinators.empty()) f.kill(coordinators[random() % coordinators.size()]);
    }
    f.run();
    if (!f.exists()) continue;
    const auto ended = f.finish();
    INFO(render(ended.error.value_or(Error{})));
    CHECK(ended.status == ChainStatus::succeeded);
    f.run();
    CHECK(live(f) == 0);
    CHECK(f.actors_left() == 0);
  }
}

// ---- cancelling -----------------------------------------------------------------------------------------------------

TEST_CASE("cancelling a full family ends all of it, and nothing is started for that") {
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.family_max = 8}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(20));
  f.run();
  const auto begun = supervisor_of(f).spawned;
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(supervisor_of(f).spawned == begun);
  CHECK(chains_with(f, "cancelled").size() == 6);
  CHECK(chains_with(f, "running").empty());
  f.run();
  CHECK(f.actors_left() == 0);
}

Pinned three_levels() {
  return pin(composite({step("sub", over(4), "/inner.tool")}),
             {{"/inner.tool", composite({step("before"), step("deeper", R"("dependencies": ["before"])", "/leaf.tool")})},
              {"/leaf.tool", composite({step("one"), step("two", R"("dependencies": ["one"])")})}});
}

TEST_CASE("a chain that is cancelled before it is gone on with takes its descendants with it, and none of them is loaded") {
  Fixture f{{.workers = {{.slots = 64}}}};
  f.script.otherwise = [](const auto& attempt) { return attempt.key.ends_with("/two") ? held() : answer("{}"); };
  f.submit(three_levels());
  f.run();
  REQUIRE(chains_with(f, "running").size() == 9);
  f.crash();
  const auto executed = f.script.executions.size();
  f.control("c", engine::Cancel{"enough"});
  f.await();
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(supervisor_of(f).spawned == 1);
  CHECK(f.script.executions.size() == executed);
  CHECK(chains_with(f, "running").empty());
  CHECK(chains_with(f, "cancelled").size() == 9);
  const auto leaf = f.state("c/sub/3/deeper");
  CHECK(leaf.status == ChainStatus::cancelled);
  CHECK(leaf.grants.empty());
  CHECK(leaf.running.empty());
  f.run();
  CHECK(f.actors_left() == 0);

  // A retry finds what it would have found had they lived: what was done is not done again.
  f.forget();
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  f.control("c", engine::Retry{});
  f.run();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/sub/0/before") == 1);
  CHECK(f.script.count("c/sub/0/deeper/two") == 2);
}

TEST_CASE("wherever the power fails, a cancelled family leaves no chain behind that has not ended") {
  for (std::size_t messages = 5;; messages += 3) {
    CAPTURE(messages);
    Fixture f{{.workers = {{.slots = 64}}}};
    f.submit(three_levels());
    f.run_messages(messages);
    if (f.has_ended()) break;
    f.crash();
    if (!f.exists()) continue;
    f.control("c", engine::Cancel{});
    // and once more while it is being cancelled
    f.run_messages(messages % 40);
    f.crash();
    if (!engine::terminal(f.state().status)) {
      f.control("c", engine::Cancel{});
      f.await();
      CHECK(engine::terminal(f.finish().status));
    }
    f.run();
    CHECK(chains_with(f, "running").empty());
    CHECK(f.actors_left() == 0);
  }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

TEST_CASE("while memory is short nothing new begins; what runs goes on, and all goes on when there is memory again") {
  std::uint64_t used = 0;
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.children_at_a_time = 2, .memory_max = 1000}, .resident = [&] { return used; }}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(4));
  f.run();
  REQUIRE(f.script.pending.size() == 2);
  used = 1000;
  f.advance(250ms);
  REQUIRE(f.log.size() == 1);
  CHECK(f.log.front().find("coordinator.memory_max") != std::string::npos);
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  f.script.release("c/sub/0/one", answer("{}"));
  f.advance(250ms);
  CHECK(f.state("c/sub/0").status == ChainStatus::succeeded);
  CHECK(f.state().steps[0].in_flight == 1);

  f.submit(family(1), "d");
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused.front().error.code == Code::memory_short);
  CHECK(f.refused.front().error.retryable);
  CHECK_FALSE(f.exists("d"));

  used = 950;  // not enough below the mark
  f.advance(250ms);
  CHECK(f.state().steps[0].in_flight == 1);
  used = 899;
  f.advance(250ms);
  f.script.release("c/sub/1/one", answer("{}"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.complete(family(1), "d").status == ChainStatus::succeeded);
  CHECK(f.log.size() == 2);
}

TEST_CASE("children that wait for memory all begin when there is some") {
  std::uint64_t used = 0;
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.memory_max = 1000}, .resident = [&] { return used; }}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(4));
  f.run();
  REQUIRE(f.script.pending.size() == 4);
  f.crash();
  f.gate.shut = true;  // the parent has not begun its children again when memory becomes short
  f.resume();
  f.await();
  f.run();
  used = 1000;
  f.advance(250ms);
  f.open_gate();
  f.run();
  CHECK(supervisor_of(f).deferred.size() == 4);
  CHECK(supervisor_of(f).deferred.contains(ChainId{"c/sub/0"}));
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  bool cancelled = false;
  SECTION("all of them") {}
  SECTION("also where a person cancels one of them before") { cancelled = true; }
  if (cancelled) {
    f.control("c/sub/0", engine::Cancel{});
    f.run();
    CHECK(chains_with(f, "cancelled") == std::vector{ChainId{"c/sub/0"}});
  }
  used = 0;
  f.advance(250ms);
  CHECK(f.finish().status == ChainStatus::succeeded);  // its parent's attempt that was lost is made again
  CHECK(supervisor_of(f).deferred.empty());
}

TEST_CASE("a chain can be cancelled while memory is short, whether it lives or not") {
  std::uint64_t used = 0;
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.memory_max = 1000}, .resident = [&] { return used; }}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(3));
  f.submit(family(3), "d");
  f.run();
  f.crash();
  f.resume("d");
  f.await("d");
  f.run();
  used = 2000;
  f.advance(250ms);
  f.resume("c");
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::memory_short);
  f.control("c", engine::Cancel{});
  f.control("d", engine::Cancel{});
  f.await("c");
  CHECK(f.finish("c").status == ChainStatus::cancelled);
  CHECK(f.finish("d").status == ChainStatus::cancelled);
  CHECK(chains_with(f, "running").empty());
}

TEST_CASE("what a start goes on with waits for memory, children included") {
  std::uint64_t used = 0;
  Fixture f{{.workers = {{.slots = 64}}, .settings = {.memory_max = 1000}, .resident = [&] { return used; }}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(family(3));
  f.submit(family(3), "d");
  f.run();
  f.crash();
  f.tell(actors::ResumeChain{ChainId{"c"}, actors::ResumedBy::start});
  f.run();
  used = 2000;
  f.advance(250ms);
  f.tell(actors::ResumeChain{ChainId{"d"}, actors::ResumedBy::start});
  f.run();
  f.advance(250ms);
  CHECK(f.accepted.size() == 2);
  CHECK(supervisor_of(f).running.size() == 5);
  CHECK_FALSE(supervisor_of(f).running.at(ChainId{"d"}).coordinator);
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  used = 0;
  f.advance(250ms);
  f.advance(250ms);
  for (const auto* child : {"0", "1", "2"}) f.script.release(std::string{"c/sub/"} + child + "/one", answer("{}"));
  for (const auto* chain : {"c", "d"}) {
    f.await(chain);
    CHECK(f.finish(chain).status == ChainStatus::succeeded);
  }
}

// ---- unclean ends ---------------------------------------------------------------------------------------------------

void start_again(Fixture& f, const std::string& chain, actors::ResumedBy by = actors::ResumedBy::unclean_start) {
  f.crash();
  f.tell(actors::ResumeChain{ChainId{chain}, by});
  f.run();
}

/// What the log says of chains that a start did not go on with.
std::size_t set_aside(const Fixture& f) {
  return static_cast<std::size_t>(std::ranges::count_if(f.log, [](const auto& line) { return line.find("[unclean_ends]") != std::string::npos; }));
}

Pinned stuck() { return pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})); }

TEST_CASE("a chain that was live at three unclean ends in a row is set aside, and a person can go on with it or end it") {
  for (const bool resumed : {true, false}) {
    CAPTURE(resumed);
    Fixture f;
    f.script.otherwise = [](const auto& attempt) { return attempt.key == "c/b" ? held() : answer("{}"); };
    f.submit(stuck());
    f.run();
    start_again(f, "c");
    start_again(f, "c");
    CHECK(set_aside(f) == 0);
    const auto events = f.history().size();
    start_again(f, "c");
    CHECK(set_aside(f) == 1);
    CHECK(chains_with(f, "quarantined") == std::vector<ChainId>{ChainId{"c"}});
    CHECK(unfinished_chains(f.kv).value().empty());
    CHECK(f.history().size() == events);
    CHECK(f.actors_left() == 0);

    f.forget();
    if (resumed) {
      f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
      f.resume();
      f.run();
      CHECK(chains_with(f, "quarantined").empty());
    } else {
      f.control("c", engine::Cancel{});
    }
    f.await();
    CHECK(f.finish().status == (resumed ? ChainStatus::succeeded : ChainStatus::cancelled));
  }
}

TEST_CASE("a chain that gets on between unclean ends is not set aside, nor one whose process ended in order in between") {
  Fixture f;
  f.script.otherwise = [](const auto& attempt) { return attempt.key == "c/b" || attempt.key == "d/a" ? held() : answer("{}"); };
  f.submit(stuck(), "d");
  f.run();
  start_again(f, "d");
  start_again(f, "d");
  f.script.release("d/a", answer("{}"));
  f.script.otherwise = [](const auto& attempt) { return attempt.key == "d/b" ? held() : answer("{}"); };
  f.run();
  start_again(f, "d");
  start_again(f, "d");
  CHECK(set_aside(f) == 0);
  start_again(f, "d", actors::ResumedBy::start);
  start_again(f, "d");
  start_again(f, "d");
  CHECK(set_aside(f) == 0);
  start_again(f, "d");
  CHECK(set_aside(f) == 1);
}

TEST_CASE("a submission whose definitions call each other without end is refused") {
  auto package = std::make_shared<lang::Package>(*poison());
  auto program = package->main();
  for (auto& step : program.steps) step.when.reset();
  package->programs[package->root] = std::make_shared<const lang::Program>(program);
  Fixture f;
  f.submit(package);
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused.front().error.code == Code::call_cycle);
  CHECK_FALSE(f.exists());
}

}  // namespace
}  // namespace catena::coordinator::test
