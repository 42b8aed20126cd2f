// A chain that only waits leaves memory, and whatever happens to it brings it back as if it had never gone.
#include <malloc.h>
#include <catch2/catch.hpp>

#include "tests/base/scale.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using Life = SupervisorState::Life;
using namespace std::chrono_literals;

constexpr Millis kSleepAfter{1000};

Options sleepy(std::optional<std::uint32_t> seed = {}) {
  Options options;
  options.workers = {{.slots = 64}};
  options.settings.sleep_after_ms = kSleepAfter.count();
  options.seed = seed;
  return options;
}

SupervisorState& supervising(Fixture& f) { return Fixture::state_of<SupervisorState>(f.supervisor); }

Life life_of(Fixture& f, const std::string& chain = "c") { return supervising(f).running.at(ChainId{chain}).life; }

/// It is asked twice, and nothing comes to it in between.
void wait_for_sleep(Fixture& f) {
  for (int asked = 0; asked < 3; ++asked) f.advance(kSleepAfter);
}

Pinned parent_of(int children) {
  return pin(composite({step("sub", over(children), "/inner.tool")}), {{"/inner.tool", composite({step("one", R"("arguments": {"i": 1})")})}});
}

const std::string kRetryInAnHour = R"("retry": {"max_attempts": 2, "initial_interval": "1h", "max_interval": "1h", "jitter": 0})";

TEST_CASE("a chain that waits for a timer sleeps, and goes on when that is due and not before") {
  Fixture f{sleepy()};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", kRetryInAnHour)})));
  f.run();
  const auto began = f.now();
  wait_for_sleep(f);
  CHECK(life_of(f) == Life::sleeps);
  CHECK(f.actors_left() == 0);
  f.advance(Millis{1h} - Millis{f.now() - began} - 1ms);
  CHECK(f.script.count("c/a") == 1);
  CHECK(life_of(f) == Life::sleeps);
  f.advance(1ms);
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a chain that sleeps keeps its time when the wall clock had been set back before its process started") {
  Fixture f{sleepy()};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", kRetryInAnHour)})));
  f.run();
  f.set_wall(-Millis{3h});
  f.crash();
  f.resume();
  f.await();
  f.run();
  const auto began = f.now();
  wait_for_sleep(f);
  REQUIRE(life_of(f) == Life::sleeps);
  f.tell(actors::AskExplain{ChainId{"c"}});  // wakes it, and it sleeps again
  wait_for_sleep(f);
  REQUIRE(life_of(f) == Life::sleeps);
  f.advance(Millis{1h} - Millis{f.now() - began});
  CHECK(f.script.count("c/a") == 2);
}

TEST_CASE("what works does not sleep") {
  Fixture f{sleepy()};
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a")})));
  wait_for_sleep(f);
  CHECK(life_of(f) == Life::lives);
  f.script.release("c/a", answer("{}"));
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a chain that waits for its children sleeps, and the end of a child wakes it") {
  Fixture f{sleepy()};
  for (const auto* item : {"0", "1", "2"}) f.script.on(std::string{"c/sub/"} + item + "/one", held());
  f.submit(parent_of(3));
  wait_for_sleep(f);
  CHECK(life_of(f) == Life::sleeps);
  CHECK(life_of(f, "c/sub/0") == Life::lives);
  f.script.release("c/sub/0/one", answer("{}"));
  f.run();
  CHECK(life_of(f) == Life::lives);
  CHECK(f.state().steps[0].ok.count() == 1);
  wait_for_sleep(f);
  CHECK(life_of(f) == Life::sleeps);
  f.script.release("c/sub/1/one", answer("{}"));
  f.script.release("c/sub/2/one", answer("{}"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 3);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a chain whose children have a timeout stays awake for it") {
  Fixture f{sleepy()};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("sub", R"("timeout": "10m")", "/inner.tool")}), {{"/inner.tool", composite({step("one")})}}));
  wait_for_sleep(f);
  CHECK(life_of(f) == Life::lives);
  f.advance(Millis{10min});
  f.script.release("c/sub/one", failure(Code::cancelled));
  const auto ended = f.finish();
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_timeout);
}

TEST_CASE("a chain that was paused once wakes none of its children when it wakes") {
  Fixture f{sleepy()};
  f.script.on("c/sub/0/one", held());
  f.script.otherwise = [](const auto&) { return failure(Code::tool_temporary, true); };
  f.submit(pin(composite({step("sub", over(3), "/inner.tool")}), {{"/inner.tool", composite({step("one", kRetryInAnHour)})}}));
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.control("c", engine::Unpause{});
  wait_for_sleep(f);
  REQUIRE(life_of(f) == Life::sleeps);
  REQUIRE(life_of(f, "c/sub/1") == Life::sleeps);
  f.script.release("c/sub/0/one", answer("{}"));
  f.run();
  CHECK(life_of(f) == Life::lives);
  CHECK(life_of(f, "c/sub/1") == Life::sleeps);
  f.control("c", engine::Pause{});  // and this concerns them all
  f.run();
  CHECK(f.state("c/sub/1").status == ChainStatus::paused);
}

TEST_CASE("parent and child both sleep, and the child's timer brings both back") {
  Fixture f{sleepy()};
  f.script.on("c/sub/0/one", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("sub", over(1), "/inner.tool")}), {{"/inner.tool", composite({step("one", kRetryInAnHour)})}}));
  wait_for_sleep(f);
  wait_for_sleep(f);
  REQUIRE(life_of(f) == Life::sleeps);
  REQUIRE(life_of(f, "c/sub/0") == Life::sleeps);
  CHECK(f.actors_left() == 0);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/sub/0/one") == 2);
}

TEST_CASE("a chain that sleeps takes orders and answers questions as if it did not") {
  Fixture f{sleepy()};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", kRetryInAnHour)})));
  wait_for_sleep(f);
  REQUIRE(life_of(f) == Life::sleeps);
  SECTION("cancel") {
    f.control("c", engine::Cancel{"enough"});
    f.run();
    REQUIRE(f.has_ended());
    CHECK(f.finish().status == ChainStatus::cancelled);
  }
  SECTION("pause, and it sleeps on") {
    f.control("c", engine::Pause{});
    f.run();
    CHECK(f.state().status == ChainStatus::paused);
    wait_for_sleep(f);
    CHECK(life_of(f) == Life::sleeps);
    f.control("c", engine::Unpause{});
    CHECK(f.finish().status == ChainStatus::succeeded);
  }
  SECTION("progress") {
    f.tell(actors::AskProgress{ChainId{"c"}});
    f.run();
    REQUIRE(f.progress.size() == 1);
    CHECK(f.progress.front().steps_total == 1);
  }
  SECTION("why it does not move") {
    f.tell(actors::AskExplain{ChainId{"c"}});
    f.run();
    CHECK(f.explained.size() == 1);
  }
  SECTION("its own id again") {
    f.submit(parent_of(1));
    f.run();
    REQUIRE(f.refused.size() == 1);
    CHECK(f.refused.front().error.code == Code::chain_exists);
  }
  CHECK(f.refused.size() <= 1);
}

TEST_CASE("cancelling wakes the children that sleep, and all of them end") {
  Fixture f{sleepy()};
  f.script.otherwise = [](const auto&) { return failure(Code::tool_temporary, true); };
  f.submit(pin(composite({step("sub", over(5), "/inner.tool")}), {{"/inner.tool", composite({step("one", kRetryInAnHour)})}}));
  wait_for_sleep(f);
  wait_for_sleep(f);
  REQUIRE(life_of(f, "c/sub/4") == Life::sleeps);
  f.control("c", engine::Cancel{"enough"});
  f.run();
  REQUIRE(f.has_ended());
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(supervising(f).running.empty());
  CHECK(supervising(f).alarms.empty());
  CHECK(f.actors_left() == 0);
}

TEST_CASE("wherever chains fall asleep, what they come to is the same") {
  const auto run = [](const Options& options, std::uint32_t seed) {
    Fixture f{options};
    std::mt19937 random{seed};
    f.script.on("c/sub/1/one", 1, failure(Code::tool_temporary, true));
    f.script.on("c/sub/2/deeper/two", 1, postponed(700ms));
    f.submit(
        pin(composite({step("sub", over(4), "/inner.tool"),
                       step("last", R"("dependencies": ["sub"], "arguments": {"all": "sub[*].response.one.response"})")}),
            {{"/inner.tool", composite({step("one", R"("arguments": {"i": 3}, "retry": {"max_attempts": 3, "initial_interval": "2s", "jitter": 0})"),
                                        step("deeper", R"("dependencies": ["one"])", "/leaf.tool")})},
             {"/leaf.tool", composite({step("two"), step("three", R"("dependencies": ["two"])")})}}));
    for (int times = 0; times < 200 && !f.has_ended(); ++times) {
      f.run_messages(random() % 60);
      if (random() % 3 == 0) f.scheduler.advance_time(Millis{random() % 100});
      if (options.seed && f.exists() && random() % 20 == 0) f.control("c", engine::Pause{}), f.control("c", engine::Unpause{});
      if (options.seed && random() % 40 == 0) {
        f.crash();
        if (!f.exists()) return std::string{"it was lost before it was accepted"};
        f.resume();
        f.await();
      }
    }
    const auto ended = f.finish();
    f.run();
    CHECK(f.actors_left() == 0);
    CHECK(supervising(f).alarms.empty());
    return std::string{engine::name(ended.status)} + ended.response.text;
  };
  const auto calm = run({.workers = {{.slots = 64}}}, 0);
  std::uint64_t slept = 0;
  constexpr std::uint32_t kSleepySeeds = catena::test::scaled(150U, 30U);
  for (std::uint32_t seed = 1; seed <= kSleepySeeds; ++seed) {
    CAPTURE(seed);
    auto options = sleepy(seed);
    options.settings.sleep_after_ms = 1 + seed % 40;
    const auto words = run(options, seed);
    if (words == "it was lost before it was accepted") continue;
    CHECK(words == calm);
    ++slept;
  }
  CHECK(slept > kSleepySeeds * 2 / 3);
}

// ---- what they leave in memory ----------------------------------------------------------------------------------------

/// How often anything of the chain was read.
std::shared_ptr<std::size_t> count_reads_of(Fixture& f, const std::string& chain) {
  auto reads = std::make_shared<std::size_t>(0);
  f.reads.refuse = [reads, chain](std::string_view key) {
    *reads += key.find(chain) != std::string_view::npos ? 1 : 0;
    return false;
  };
  return reads;
}

TEST_CASE("a chain that slept comes back from what it left in memory, and where there is none for that from its records") {
  const auto [most, reads_something] = GENERATE(table<std::uint64_t, bool>({{64UL << 20U, false}, {0, true}}));
  CAPTURE(most);
  auto options = sleepy();
  options.settings.resting_max = most;
  Fixture f{options};
  f.script.on("chain-that-sleeps/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", kRetryInAnHour)})), "chain-that-sleeps");
  f.run();
  wait_for_sleep(f);
  REQUIRE(life_of(f, "chain-that-sleeps") == Life::sleeps);
  CHECK((supervising(f).resting_bytes == 0) == reads_something);
  const auto reads = count_reads_of(f, "chain-that-sleeps");
  f.advance(Millis{1h});
  CHECK(f.finish("chain-that-sleeps").status == ChainStatus::succeeded);
  CHECK((*reads > 0) == reads_something);
  CHECK(f.script.count("chain-that-sleeps/a") == 2);
  CHECK(supervising(f).resting_bytes == 0);
}

TEST_CASE("what chains left in memory is given up when memory is short, and they come back all the same") {
  std::uint64_t used = 10;
  auto options = sleepy();
  options.settings.memory_max = 1000;
  options.resident = [&] { return used; };
  Fixture f{options};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", kRetryInAnHour)})));
  f.run();
  wait_for_sleep(f);
  CHECK(supervising(f).resting_bytes > 0);
  used = 2000;
  f.advance(1s);
  CHECK(supervising(f).resting_bytes == 0);
  used = 10;
  f.advance(1s);
  f.advance(Millis{1h});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a chain that wakes again and again has a checkpoint after so many events, however few there are each time") {
  const std::uint64_t most = GENERATE(0UL, 64UL << 20U);
  CAPTURE(most);
  auto options = sleepy();
  options.settings.resting_max = most;
  options.settings.checkpoint_every = 20;
  Fixture f{options};
  f.script.otherwise = [](const auto& attempt) { return attempt.attempt < 12 ? failure(Code::tool_temporary, true) : answer("{}"); };
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 20, "initial_interval": "1h", "max_interval": "1h", "jitter": 0})")})));
  f.run();
  for (int hour = 0; hour < 10; ++hour) {
    wait_for_sleep(f);
    REQUIRE(life_of(f) == Life::sleeps);
    f.advance(Millis{1h});
  }
  const auto kept = storage::load_checkpoint(f.kv, ChainId{"c"});
  REQUIRE(kept);
  REQUIRE(*kept);
  CHECK(engine::decode_state(**kept).value().seq >= 20);
  f.advance(Millis{2h});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

// ---- many at one moment -----------------------------------------------------------------------------------------------

constexpr std::size_t kWokenTogether = 24;

/// So many chains that wait for one moment, an hour from now, and sleep; `woken` counts their second attempts.
void submit_sleepers(Fixture& f, std::size_t chains, std::size_t& woken) {
  f.script.otherwise = [&](const auto& attempt) {
    if (attempt.attempt == 1) return postponed(1h);
    ++woken;
    return answer("{}");
  };
  const auto package = pin(composite({step("a")}));
  for (std::size_t chain = 0; chain < chains; ++chain) {
    f.submit(package, "c" + std::to_string(chain));
    if (chain % 100 == 0) f.run();
  }
  f.run();
  wait_for_sleep(f);
  REQUIRE(f.actors_left() == 0);
  REQUIRE(supervising(f).alarms.size() == chains);
  REQUIRE(supervising(f).asleep == chains);
}

TEST_CASE("ten thousand chains that are due at one moment come back a bounded part at a time, each once") {
  constexpr std::size_t kChains = catena::test::scaled(10'000UL, 1'000UL);
  Fixture f{sleepy()};
  std::size_t woken = 0;
  const auto began = f.now();
  submit_sleepers(f, kChains, woken);
  f.run();
  f.scheduler.advance_time(Millis{1h} - Millis{f.now() - began});
  std::size_t asked = 0;
  constexpr std::size_t kMessages = 2'000;
  while (f.run_messages(kMessages) == kMessages) {  // one follows where another has gone on: no time passes
    REQUIRE(supervising(f).coming.size() <= kWokenTogether);
    REQUIRE(f.progress.size() == asked);
    if (supervising(f).alarms.size() < 8 * kWokenTogether) continue;
    // A question about one that still sleeps does not wait for the others.
    f.tell(actors::AskProgress{supervising(f).by_key.at(supervising(f).alarms.rbegin()->second)->first});
    ++asked;
  }
  CHECK(asked > 0);
  CHECK(woken == kChains);
  CHECK(f.ended.size() == kChains);
  CHECK(std::ranges::all_of(f.ended, [](const auto& ended) { return ended.status == ChainStatus::succeeded; }));
  CHECK(supervising(f).running.empty());
  CHECK(supervising(f).asleep == 0);
  CHECK(supervising(f).coming.empty());
  CHECK(supervising(f).resting_bytes == 0);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("chains that are due while memory is short come back a few at a time") {
  constexpr std::size_t kChains = 100;
  std::uint64_t used = 10;
  auto options = sleepy();
  options.settings.memory_max = 1000;
  options.resident = [&] { return used; };
  Fixture f{options};
  std::size_t woken = 0;
  const auto began = f.now();
  submit_sleepers(f, kChains, woken);
  used = 2000;
  f.advance(1s);
  f.advance(Millis{1h} - Millis{f.now() - began});
  CHECK(woken == 16);
  f.advance(249ms);
  CHECK(woken == 16);
  f.advance(1ms);
  CHECK(woken == 32);
  used = 10;
  for (int times = 0; times < 4; ++times) f.advance(250ms);
  CHECK(woken == kChains);
  CHECK(f.ended.size() == kChains);
}

TEST_CASE("a crash among many that come back at one moment loses none of them") {
  constexpr std::size_t kChains = 600;
  Fixture f{sleepy()};
  std::size_t woken = 0;
  const auto began = f.now();
  submit_sleepers(f, kChains, woken);
  f.scheduler.advance_time(Millis{1h} - Millis{f.now() - began});
  f.run_messages(2'000);
  f.crash();
  for (std::size_t chain = 0; chain < kChains; ++chain) {
    f.resume("c" + std::to_string(chain));
    f.await("c" + std::to_string(chain));
  }
  f.advance(1s);
  CHECK(f.ended.size() == kChains);
  CHECK(woken >= kChains);
  CHECK(f.actors_left() == 0);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

#ifndef CATENA_SANITIZED  // sanitizers have allocators of their own

std::size_t heap() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// Bytes of memory that each of many chains takes besides its records.
std::size_t bytes_per_chain(const Options& options, const Pinned& package) {
  constexpr int kChains = 2000;
  Fixture f{options};
  f.script.otherwise = [](const auto&) { return failure(Code::tool_temporary, true); };
  f.complete(pin(composite({step("a", R"("conditions": [{"param": 1, "operator": "equals", "value": 2}])")})), "first");
  const auto before = heap();
  for (int chain = 0; chain < kChains; ++chain) {
    f.submit(package, "chain-of-a-certain-length-" + std::to_string(chain));
    if (chain % 10 == 0) f.run();  // what is handled together leaves room for as much the next time
  }
  f.run();
  if (options.settings.sleep_after_ms > 0) {
    wait_for_sleep(f);
    f.advance(Millis{options.settings.timer_ms_max});  // timers that are out keep what is left of an actor
  }
  f.forget();
  std::vector<actors::Accepted>{}.swap(f.answers);
  f.script.executions = {};
  f.kv.restore({});
  return (heap() - before) / kChains;
}

TEST_CASE("besides its records a chain that waits for a slot takes at most 8 kB, and one that sleeps at most 1280 bytes and what it left") {
  const auto package = pin(composite({step("a", kRetryInAnHour)}));
  const auto lives = bytes_per_chain({.workers = {}}, package);
  const auto rests = bytes_per_chain(sleepy(), package);
  auto without_state = sleepy();
  without_state.settings.resting_max = 0;
  const auto sleeps = bytes_per_chain(without_state, package);
  INFO("awake " << lives << ", asleep " << sleeps << ", with its state " << rests);
  CHECK(lives > 0);
  CHECK(lives <= 8192);
  CHECK(sleeps <= 1280);
  CHECK(rests <= 1280 + 1024);
}

#endif

}  // namespace
}  // namespace catena::coordinator::test
