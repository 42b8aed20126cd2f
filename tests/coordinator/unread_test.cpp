// A store that cannot be read for a while costs time: no chain is stranded by it, and none ends.
#include <catch2/catch.hpp>

#include "coordinator/rebuilding.hpp"
#include "coordinator/strikes.hpp"
#include "coordinator/watched_reads.hpp"
#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

/// The next so many reads of the records of that chain fail.
void refuse_reads_of(Fixture& f, const std::string& chain, int times) {
  f.reads.refuse = [key = storage::keys::summary(ChainId{chain}), times](std::string_view read) mutable { return read == key && times-- > 0; };
}

std::size_t with_status(const Fixture& f, const std::string& status) {
  std::size_t chains = 0;
  REQUIRE(storage::list_summaries(f.kv, {.statuses = {status}}, [&](const auto&) { return ++chains, true; }));
  return chains;
}

TEST_CASE("a chain whose records cannot be read when it is to be rebuilt goes on as soon as they can") {
  for (const int failures : {1, 2, 7}) {
    CAPTURE(failures);
    Fixture f;
    f.script.on("c/a", 1, held());
    f.submit(pin(composite({step("a")})));
    f.run();
    refuse_reads_of(f, "c", failures);
    f.kill(f.coordinator_of());
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.reads.failed == static_cast<std::size_t>(failures));
    CHECK(f.refused.empty());
    CHECK(f.log.size() == 1);
    f.run();
    CHECK(f.actors_left() == 0);
  }
}

TEST_CASE("reads that fail are no defects of a chain: however many deaths they cost, it is not given up") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a")})));
  f.run();
  for (int death = 0; death < 12; ++death) {
    f.client->send_exit(f.coordinator_of(), unread(make_error(Code::storage_io, "a read failed")));
    f.advance(1min);
    REQUIRE(f.coordinator_of());
  }
  CHECK(f.refused.empty());
  f.script.otherwise = [](const auto&) { return answer("{}"); };
  f.kill(f.coordinator_of());
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a chain that cannot be read is looked at more and more slowly") {
  CHECK(reading_pause(0) == 50ms);
  CHECK(reading_pause(1) == 50ms);
  CHECK(reading_pause(2) == 100ms);
  CHECK(reading_pause(100) == 10s);
}

TEST_CASE("who orders something of a chain that cannot be read is told, and a parent's cancel waits for it") {
  Fixture f{{.workers = {{.slots = 64}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("sub", over(2), "/inner.tool")}), {{"/inner.tool", composite({step("one")})}}));
  f.run();
  refuse_reads_of(f, "c/sub/0", 3);
  f.kill(f.coordinator_of("c/sub/0"));
  f.run();
  f.control("c/sub/0", engine::Pause{});
  f.advance(60ms);  // and it is read in vain once more
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::storage_io);
  f.control("c", engine::Cancel{"enough"});
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.reads.failed == 3);
  f.run();
  CHECK(with_status(f, "running") == 0);
  CHECK(with_status(f, "cancelled") == 3);
}

TEST_CASE("a chain that sleeps and cannot be read when it is wanted wakes as soon as it can") {
  Options options;
  options.settings.sleep_after_ms = 1000;
  options.settings.resting_max = 0;
  Fixture f{options};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "1h", "max_interval": "1h", "jitter": 0})")})));
  for (int asked = 0; asked < 4; ++asked) f.advance(1s);
  REQUIRE(Fixture::state_of<SupervisorState>(f.supervisor).running.at(ChainId{"c"}).life == SupervisorState::Life::sleeps);
  refuse_reads_of(f, "c", 4);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.reads.failed == 4);
}

TEST_CASE("a start goes on with a chain that it could not read at first") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.crash();
  refuse_reads_of(f, "c", 3);
  f.tell(actors::ResumeChain{ChainId{"c"}, actors::ResumedBy::start});
  f.run();
  CHECK(f.accepted.size() == 1);
  CHECK(f.refused.empty());
  for (int seconds = 0; seconds < 3; ++seconds) f.advance(1s);
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.reads.failed == 3);
}

TEST_CASE("what a start goes on with is found without reading anything of chains that have ended") {
  Fixture f;
  f.script.on("d/a", 1, held());
  REQUIRE(f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
  f.submit(pin(composite({step("a")})), "d");
  f.run();
  std::vector<std::string> not_wanted;
  for (const auto* status : {"", "succeeded", "failed", "cancelled", "quarantined"}) not_wanted.push_back(storage::keys::index_of(status).from);
  f.reads.refuse = [&](std::string_view read) { return std::ranges::find(not_wanted, read) != not_wanted.end(); };
  CHECK(unfinished_chains(f.reads).value() == std::vector{ChainId{"d"}});
  CHECK(f.reads.failed == 0);
  CHECK_FALSE(storage::list_summaries(f.reads, {}, [](const auto&) { return true; }));
}

TEST_CASE("chains that a start goes on with come back a few at a time, and one that somebody wants something of at once") {
  constexpr int kChains = 60;
  Fixture f{{.workers = {{.slots = 64}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  const auto name_of = [](int chain) { return "c" + std::to_string(chain); };
  for (int chain = 0; chain < kChains; ++chain) f.submit(pin(composite({step("a")})), name_of(chain));
  f.run();
  f.crash();
  for (int chain = 0; chain < kChains; ++chain) f.tell(actors::ResumeChain{ChainId{name_of(chain)}, actors::ResumedBy::start});
  const auto& running = Fixture::state_of<SupervisorState>(f.supervisor).running;
  const auto awake = [&] { return std::ranges::count_if(running, [](const auto& known) { return known.second.coordinator != nullptr; }); };
  while (running.size() < kChains) REQUIRE(f.run_messages(1) == 1);
  CHECK(awake() < kChains / 2);
  const auto last = name_of(kChains - 1);
  f.control(last, engine::Cancel{"enough"});
  f.await(last);
  CHECK(f.finish(last).status == ChainStatus::cancelled);
  f.run();
  CHECK(awake() == kChains - 1);
  CHECK(f.refused.empty());
}

TEST_CASE("a person who resumes a chain that cannot be read is told so") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.crash();
  refuse_reads_of(f, "c", 1);
  f.resume();
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::storage_io);
}

TEST_CASE("a start that reads a chain again counts one strike against it") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a")})));
  f.run();
  for (std::uint32_t strikes = 1; strikes <= 2; ++strikes) {
    f.crash();
    int times = 2;
    f.reads.refuse = [package = storage::keys::package(f.state().package), &times](std::string_view read) { return read == package && times-- > 0; };
    f.tell(actors::ResumeChain{ChainId{"c"}, actors::ResumedBy::unclean_start});
    for (int seconds = 0; seconds < 3; ++seconds) f.advance(1s);
    f.reads.refuse = nullptr;
    const auto noted = strikes_of(storage::load_summary(f.kv, ChainId{"c"}).value().value());
    REQUIRE(noted);
    CHECK(noted->count == strikes);
    CHECK(f.coordinator_of());
  }
}

TEST_CASE("a cancelled family ends as a whole, also where some of it cannot be read at first") {
  for (const auto* unread_one : {"c/sub/0", "c/sub/3", "c/sub/1/deeper"}) {
    CAPTURE(unread_one);
    Fixture f{{.workers = {{.slots = 64}}}};
    f.script.otherwise = [](const auto&) { return held(); };
    f.submit(pin(composite({step("sub", over(4), "/inner.tool")}),
                 {{"/inner.tool", composite({step("deeper", {}, "/leaf.tool")})}, {"/leaf.tool", composite({step("one")})}}));
    f.run();
    REQUIRE(with_status(f, "running") == 9);
    f.crash();
    refuse_reads_of(f, unread_one, 3);
    f.control("c", engine::Cancel{"enough"});
    f.await();
    CHECK(f.finish().status == ChainStatus::cancelled);
    CHECK(f.reads.failed == 3);
    f.run();
    CHECK(with_status(f, "running") == 0);
    CHECK(with_status(f, "cancelled") == 9);
    CHECK(f.actors_left() == 0);
  }
}

}  // namespace
}  // namespace catena::coordinator::test
