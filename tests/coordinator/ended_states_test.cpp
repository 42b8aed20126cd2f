// What is kept of chains that have just ended is what their records say, and is not told any more once they say something else.
#include "coordinator/ended_states.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

storage::ChainSummary named(const std::string& chain) {
  storage::ChainSummary summary;
  summary.id = ChainId{chain};
  return summary;
}

void keep(EndedStates& ended, const std::string& chain, std::uint64_t removals = 0, engine::ChainState state = {}) {
  ended.put(ChainId{chain}, state, named(chain), 0, removals);
}

struct Observed {
  std::shared_ptr<EndedStates> ended = std::make_shared<EndedStates>();
  Fixture f{{.ended_states = ended}};
  [[nodiscard]] std::optional<Recovered> kept(const std::string& chain = "c") const {
    return ended->find(ChainId{chain}, storage::load_removal_count(f.kv).value());
  }
};

}  // namespace

TEST_CASE("the state that is kept of a chain that has ended is what its records say") {
  Observed o;
  SECTION("it succeeds") { o.f.complete(pin(composite({step("one"), step("two", R"("arguments": {"from": "REF:one.response"})")}))); }
  SECTION("it fails") {
    o.f.script.otherwise = [](const actors::Attempted&) { return failure(Code::tool_failed); };
    o.f.complete(pin(composite({step("one"), step("two", R"("arguments": {"from": "REF:one.response"})")})));
  }
  const auto kept = o.kept();
  const auto recorded = recover_state(o.f.kv, ChainId{"c"});
  REQUIRE(kept);
  REQUIRE(recorded);
  CHECK(kept->state == recorded->state);
  CHECK(kept->summary == recorded->summary);
  CHECK(kept->checkpointed == recorded->checkpointed);
  CHECK(engine::terminal(kept->state.status));
}

TEST_CASE("a chain that goes on after its end is not told as it had ended") {
  Observed o;
  o.f.script.otherwise = [](const actors::Attempted&) { return failure(Code::tool_failed); };
  o.f.complete(pin(composite({step("one")})));
  REQUIRE(o.kept());
  CHECK(o.kept()->state.status == ChainStatus::failed);
  o.f.script.otherwise = [](const actors::Attempted& attempt) { return answer(attempt.arguments); };
  o.f.forget();
  o.f.control("c", engine::Retry{});
  while (o.f.state().status == ChainStatus::failed) REQUIRE(o.f.run_messages(1) == 1);
  CHECK_FALSE(o.kept());
  o.f.await();
  o.f.finish();
  REQUIRE(o.kept());
  CHECK(o.kept()->state == o.f.state());
  CHECK(o.kept()->state.status == ChainStatus::succeeded);
}

TEST_CASE("nothing is kept of children, for whose ends their parents wait") {
  Observed o;
  o.f.complete(pin(composite({step("sub", {}, "/inner.tool")}), {{"/inner.tool", composite({step("one")})}}));
  REQUIRE(o.f.state("c/sub").status == ChainStatus::succeeded);
  CHECK(o.kept());
  CHECK_FALSE(o.kept("c/sub"));
}

TEST_CASE("whoever asks for a chain that has just ended is answered as from its records") {
  Observed o;
  o.f.complete(pin(composite({step("one")})));
  Inspector reads{o.f.kv, kCatalog, *o.f.services()->clock};
  Inspector knows{o.f.kv, kCatalog, *o.f.services()->clock, {}, o.ended};
  const auto read = reads.answer(DescribeChain{ChainId{"c"}});
  const auto known = knows.answer(DescribeChain{ChainId{"c"}});
  REQUIRE(read);
  REQUIRE(known);
  CHECK(known->status == ChainStatus::succeeded);
  CHECK(known->name == read->name);
  CHECK(known->response.text == read->response.text);
  CHECK(known->last_event == read->last_event);
}

TEST_CASE("what is kept of chains that have ended is not told once a chain was removed") {
  EndedStates ended;
  keep(ended, "a", 3);
  CHECK(ended.find(ChainId{"a"}, 3));
  CHECK_FALSE(ended.find(ChainId{"a"}, 4));
  CHECK_FALSE(ended.find(ChainId{"b"}, 3));
  ended.drop(ChainId{"a"});
  CHECK_FALSE(ended.find(ChainId{"a"}, 3));
}

TEST_CASE("of chains that have ended the latest are kept, and none that is large") {
  EndedStates ended;
  for (int chain = 0; chain < 1000; ++chain) keep(ended, fmt::format("c{}", chain));
  CHECK_FALSE(ended.find(ChainId{"c0"}, 0));
  CHECK(ended.find(ChainId{"c999"}, 0));
  engine::ChainState large;
  SECTION("by its texts") { large.response = engine::inline_payload(std::string(20'000, 'x')); }
  SECTION("by its steps") { large.steps.resize(100); }
  SECTION("by its items") {
    large.steps.resize(1);
    large.steps.front().fan_out = true;
  }
  keep(ended, "c999", 0, large);
  CHECK_FALSE(ended.find(ChainId{"c999"}, 0));
}

}  // namespace catena::coordinator::test
