// Chains are removed by somebody, or because they were kept for long enough; and what that leaves to do after a crash.
#include <catch2/catch.hpp>

#include "coordinator/retention.hpp"
#include "storage/chain_removal.hpp"
#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

Pinned one_step() { return pin(composite({step("one", R"("arguments": {"x": 1})")}, R"("response_reference_map": {"out": "REF:one.x"})")); }

Pinned family_of_twelve() {
  const std::map<std::string, std::string> others{{"/inner.tool", composite({step("one", R"("arguments": {"x": "REF:arguments.i"})")})}};
  return pin(composite({step("sub", over(12), "/inner.tool")}), others);
}

/// What there is of chains in the store.
std::size_t chain_keys(const storage::Kv& kv) {
  std::size_t count = 0;
  REQUIRE(kv.scan("", "", [&](std::string_view key, std::string_view) {
    using enum storage::keys::Space;
    const auto space = storage::keys::space_of(key);
    count +=
        space == summaries || space == journal || space == ledger || space == inputs || space == checkpoints || space == index || space == removals
            ? 1
            : 0;
    return true;
  }));
  return count;
}

std::string refusal(Fixture& f, const std::string& chain) {
  f.removals.clear();
  f.tell(actors::RemoveChains{{ChainId{chain}}});
  f.run();
  REQUIRE(f.removals.size() == 1);
  CHECK(f.removals.front().removed.empty());
  REQUIRE(f.removals.front().refused.size() == 1);
  return f.removals.front().refused.front().error.message;
}

}  // namespace

TEST_CASE("a chain that has ended is removed whole, and its id can be used again under other keys") {
  Fixture f;
  f.complete(one_step());
  f.tell(actors::RemoveChains{{ChainId{"c"}}});
  f.run();
  REQUIRE(f.removals.size() == 1);
  CHECK(f.removals.front().removed == std::vector<ChainId>{{"c"}});
  CHECK_FALSE(f.exists());
  CHECK(chain_keys(f.kv) == 0);
  f.forget();
  CHECK(f.complete(one_step()).status == ChainStatus::succeeded);
  CHECK(f.script.keys() == std::vector<std::string>{"c/one", "c/one~1"});
  CHECK(f.state().removals_before == 1);
}

TEST_CASE("a family is removed with the chain that somebody submitted, in steps, and goes on being removed after a crash") {
  for (std::size_t messages = 0; messages < 60; ++messages) {
    Fixture f;
    f.complete(family_of_twelve());
    REQUIRE(f.exists("c/sub/11"));
    const auto whole = chain_keys(f.kv);
    f.tell(actors::RemoveChains{{ChainId{"c"}}});
    f.run_messages(messages);
    f.crash();
    INFO("after " << messages << " messages");
    if (f.exists()) {
      CHECK(chain_keys(f.kv) == whole);
      continue;
    }
    f.run();
    CHECK(chain_keys(f.kv) == 0);
    f.forget();
    CHECK(f.complete(family_of_twelve()).status == ChainStatus::succeeded);
  }
}

TEST_CASE("a chain that has not ended, a child alone and a chain that is not there are not removed, and it is said what to do") {
  Fixture f;
  f.complete(family_of_twelve(), "done");
  CHECK(refusal(f, "done/sub/1").find("`catena rm done` removes both") != std::string::npos);
  CHECK(refusal(f, "nobody").find("no chain is called 'nobody'") != std::string::npos);
  f.script.on("c/one", held());
  f.submit(one_step());
  f.run();
  CHECK(refusal(f, "c").find("`catena cancel c` ends it") != std::string::npos);
  f.control("c", engine::Cancel{"enough"});
  f.run();
  f.removals.clear();
  f.tell(actors::RemoveChains{{ChainId{"c"}, ChainId{"done"}, ChainId{"nobody"}}});
  f.run();
  REQUIRE(f.removals.size() == 1);
  CHECK(f.removals.front().removed.size() == 2);
  CHECK(f.removals.front().refused.size() == 1);
  CHECK(chain_keys(f.kv) == 0);
}

TEST_CASE("nobody does anything with a chain while it is removed") {
  Fixture f;
  f.complete(family_of_twelve());
  f.forget();
  f.gate.shut = true;  // the removal stays on its way to the disk
  f.tell(actors::RemoveChains{{ChainId{"c"}}});
  f.run();
  f.submit(one_step());
  f.control("c", engine::Retry{});
  f.resume();
  f.resume("c/sub/1");
  f.run();
  CHECK(f.accepted.empty());
  CHECK(std::ranges::count_if(f.refused, [](const auto& refused) { return refused.error.message.find("is being removed") != std::string::npos; }) >=
        4);
  f.gate.shut = false;
  while (!f.gate.kept.empty()) f.pass_one_commit();
  f.run();
  CHECK(f.removals.size() == 1);
  CHECK(chain_keys(f.kv) == 0);
}

TEST_CASE("reads that fail put a removal off and lose nothing of it") {
  Fixture f;
  f.complete(family_of_twelve());
  std::size_t failures = 7;
  f.reads.refuse = [&](std::string_view) { return failures > 0 && failures-- > 0 && failures % 2 == 0; };
  f.tell(actors::RemoveChains{{ChainId{"c"}}});
  for (int second = 0; second < 30 && chain_keys(f.kv) > 0; ++second) {
    f.advance(1s);
    if (!f.removals.empty() && f.removals.back().removed.empty()) {  // the supervisor could not read it, and said so
      f.removals.clear();
      f.tell(actors::RemoveChains{{ChainId{"c"}}});
    }
  }
  CHECK(chain_keys(f.kv) == 0);
}

TEST_CASE("chains go when they were kept for as long as their end asks for, and no other") {
  Options options;
  options.settings.retention.succeeded = 60s;
  options.settings.retention.cancelled = 600s;
  Fixture f{std::move(options)};
  f.complete(family_of_twelve(), "good");
  f.script.on("bad/one", failure(Code::tool_failed));
  f.complete(one_step(), "bad");
  f.script.on("stopped/one", held());
  f.submit(one_step(), "stopped");
  f.run();
  f.control("stopped", engine::Cancel{});
  f.run();
  f.advance(59s);
  CHECK(f.exists("good"));
  for (int second = 0; second < 10; ++second) f.advance(1s);
  CHECK_FALSE(f.exists("good"));
  CHECK_FALSE(f.exists("good/sub/3"));
  CHECK(f.exists("stopped"));
  for (int minute = 0; minute < 11; ++minute) f.advance(60s);
  CHECK_FALSE(f.exists("stopped"));
  CHECK(f.exists("bad"));  // failed ones are kept for ever
  f.complete(one_step(), "last");
  CHECK(f.exists("last"));
}

TEST_CASE("more chains than fit one look at the index are removed, the crash between included") {
  Options options;
  options.settings.retention.succeeded = 60s;
  Fixture f{std::move(options)};
  for (int chain = 0; chain < 700; ++chain) f.complete(one_step(), "c" + std::to_string(chain));
  f.advance(58s);
  f.complete(one_step(), "young");
  f.crash();
  for (int second = 0; second < 20; ++second) f.advance(1s);
  CHECK_FALSE(f.exists("c0"));
  CHECK_FALSE(f.exists("c699"));
  CHECK(f.exists("young"));
}

TEST_CASE("what is due is a pure question of the index and the time") {
  const auto chain = [](const std::string& id, std::string_view status, UnixMillis finished, const std::string& parent = {}) {
    storage::ChainSummary summary;
    summary.id = ChainId{id};
    summary.status = status;
    summary.finished_at = finished;
    summary.parent = parent;
    return summary;
  };
  const std::vector page{chain("old", "succeeded", 100),          chain("edge", "succeeded", 200), chain("new", "succeeded", 201),
                         chain("child", "succeeded", 100, "old"), chain("other", "failed", 100),   chain("open", "succeeded", 0)};
  CHECK(ended_by(page, ChainStatus::succeeded, 200) == std::vector<ChainId>{{"old"}, {"edge"}});
  CHECK(ended_by(page, ChainStatus::failed, 200) == std::vector<ChainId>{{"other"}});
  CHECK(kept_for({60s, {}, 10s}, ChainStatus::failed) == std::nullopt);
  CHECK(kept_for({60s, {}, 10s}, ChainStatus::quarantined) == std::nullopt);
  CHECK_FALSE(look_every({}));
  CHECK(look_every({600s, {}, 60s}) == Millis{3s});
}

}  // namespace catena::coordinator::test
