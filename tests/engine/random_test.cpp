// Random programs in random worlds: wider than the exhaustive ones, the same rules. A failing seed names itself.
#include <catch2/catch.hpp>

#include "tests/base/scale.hpp"
#include "tests/engine/dice.hpp"
#include "tests/engine/random_scenario.hpp"
#include "tests/engine/simulator.hpp"

namespace catena::engine::test {
namespace {

/// Runs one world to its rest. Accidents are rarer than work.
Broken run_to_rest(std::uint64_t seed) {
  constexpr int kMostActions = 20'000;
  const auto scenario = any_scenario(seed);
  Dice dice{~seed};
  World world{scenario};
  for (int done = 0; done < kMostActions; ++done) {
    if (!world.broken().empty()) return world.broken();
    const auto actions = world.actions();
    std::vector<const Action*> needed, optional;
    for (const auto& action : actions) (action.needed() ? needed : optional).push_back(&action);
    if (needed.empty()) {
      if (!world.at_rest()) return "the chain is stuck";
      const auto length = static_cast<std::uint32_t>(world.state().seq.value);
      if (auto broken = world.check_journal(1 + dice.below(length)); !broken.empty()) return broken;
      if (optional.empty() || dice.one_in(3)) return check_codec(world.state());
    }
    const bool accident = !optional.empty() && (needed.empty() || dice.one_in(30));
    auto action = accident ? *optional[dice.below(static_cast<std::uint32_t>(optional.size()))]
                           : *needed[dice.below(static_cast<std::uint32_t>(needed.size()))];
    if (action.kind == Action::finish || action.kind == Action::retry || action.kind == Action::repair) action.choice = dice.next();
    world.act(action);
    if (dice.one_in(20)) {
      if (auto broken = check_codec(world.state()); !broken.empty()) return broken;
    }
  }
  return "it does not end";
}

}  // namespace

TEST_CASE("random programs keep every rule in random schedules", "[random]") {
  constexpr std::uint64_t kSeeds = catena::test::scaled(8'000UL, 200UL);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto broken = run_to_rest(seed);
    INFO("seed " << seed);
    REQUIRE(broken == "");
  }
}

}  // namespace catena::engine::test
