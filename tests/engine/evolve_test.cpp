#include <catch2/catch.hpp>

#include "tests/engine/builder.hpp"
#include "tests/engine/invariants.hpp"
#include "tests/engine/samples.hpp"

namespace catena::engine::test {
namespace {

ChainState started(std::uint32_t steps) {
  ChainState state;
  ChainStarted event;
  event.steps = steps;
  evolve(state, event);
  return state;
}

/// What no event leaves the state that is left but its number.
bool only_counted(ChainState before, const Event& event) {
  auto after = before;
  evolve(after, event);
  ++before.seq;
  return before == after;
}

}  // namespace

TEST_CASE("any event on any state is borne, and what is derived stays right") {
  const auto prepared = prepared_of(graph({S("a"), S("b").each(), S("c"), S("d").each()}));
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Samples samples{seed};
    auto state = started(4);
    for (int i = 0; i < 300; ++i) {
      const auto event = samples.event();
      INFO(to_json(event).dump());
      evolve(state, event);
      std::set<StepIndex> running;
      std::uint32_t unsettled = 0;
      for (StepIndex step = 0; step < state.steps.size(); ++step) {
        if (state.steps[step].status == VisitStatus::running) running.insert(step);
        unsettled += settled(state.steps[step].status) ? 0 : 1;
      }
      REQUIRE(state.seq == static_cast<Sequence>(i) + 2);
      REQUIRE(state.running == running);
      REQUIRE(state.unsettled == unsettled);
      REQUIRE(static_cast<std::size_t>(state.status) < kChainStatusNames.size());
      for (const auto& visit : state.steps) {
        REQUIRE(visit.next <= visit.width);
        REQUIRE(visit.ok.count() + visit.bad.count() <= visit.width);
      }
      if (i % 50 == 0) REQUIRE(check_codec(state) == "");
      if (state.steps.size() == 4) (void)outstanding(prepared, state);  // a retry may have added some
    }
  }
}

TEST_CASE("an event before the chain has started changes nothing but the sequence") {
  CHECK(only_counted({}, VisitEntered{{0, 1}, {}, 0, 0}));
  CHECK(only_counted({}, PauseChanged{false, 0}));
  CHECK(only_counted({}, RetryRequested{}));
  CHECK(only_counted({}, ChainFinished{ChainStatus::succeeded, {}, std::nullopt, 0}));
}

TEST_CASE("a chain starts once, and only a retry reopens it") {
  auto state = started(1);
  ChainStarted again;
  again.steps = 3;
  CHECK(only_counted(state, again));
  evolve(state, ChainFinished{ChainStatus::failed, {}, std::nullopt, 0});
  CHECK(only_counted(state, again));
  CHECK(only_counted(state, PauseChanged{false, 0}));
  CHECK(only_counted(state, ChainFinished{ChainStatus::running, {}, std::nullopt, 0}));
  evolve(state, RetryRequested{});
  CHECK(state.status == ChainStatus::running);
}

TEST_CASE("a settled visit does not settle again") {
  auto state = started(1);
  evolve(state, VisitEntered{{0, 1}, {}, 0, 0});
  evolve(state, VisitSettled{{0, 1}, VisitStatus::failed, {}, std::nullopt, false, 0});
  CHECK(only_counted(state, VisitSettled{{0, 1}, VisitStatus::running, {}, std::nullopt, false, 0}));
  CHECK(only_counted(state, VisitSettled{{0, 1}, VisitStatus::completed, {}, std::nullopt, false, 0}));
}

TEST_CASE("items that their grant does not have open are passed over") {
  auto state = started(1);
  evolve(state, ItemsExpanded{{0, 1}, 4, {}, 0, 0});
  evolve(state, Granted{1, {0, 1}, WorkerId{"w"}, 1, IndexSet::range(0, 2), 0});
  CHECK(only_counted(state, Granted{2, {0, 1}, WorkerId{"w"}, 1, IndexSet::range(3, 9), 0}));
  CHECK(only_counted(state, ItemsSettled{1, {0, 1}, IndexSet::range(0, 3), {}, std::nullopt, 0}));
  CHECK(only_counted(state, ItemsSettled{1, {0, 1}, IndexSet::one(0), IndexSet::one(0), std::nullopt, 0}));
  CHECK(only_counted(state, ItemsSettled{0, {0, 1}, IndexSet::one(0), {}, std::nullopt, 0}));
  CHECK(only_counted(state, AttemptsEnded{1, {0, 1}, IndexSet::range(0, UINT32_MAX), Ended::lost, false, std::nullopt, 0}));
  evolve(state, ItemsSettled{1, {0, 1}, IndexSet::one(0), {}, std::nullopt, 0});
  CHECK(only_counted(state, ItemsSettled{1, {0, 1}, IndexSet::one(0), {}, std::nullopt, 0}));
}

TEST_CASE("a width or a number of steps beyond the limits is passed over") {
  ChainStarted wide;
  wide.steps = UINT32_MAX;
  CHECK(only_counted({}, wide));
  CHECK(only_counted(started(1), ItemsExpanded{{0, 1}, UINT32_MAX, {}, 0, 0}));
}

}  // namespace catena::engine::test
