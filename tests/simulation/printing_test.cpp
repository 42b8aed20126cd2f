// What attempts print, whatever happens to network, workers and coordinator: chains end as if nothing were printed, and what is kept was printed by
// an attempt of the task that it is kept for, also where workers lie.
#include <catch2/catch.hpp>

#include "tests/simulation/checker.hpp"
#include "tests/simulation/misfortune.hpp"
#include "tests/simulation/runs.hpp"

namespace catena::simulation {
namespace {

constexpr std::uint64_t kPrintingSeeds = 60;

struct Printed {
  std::vector<std::string> broken;
  std::uint64_t segments = 0;
  std::uint64_t executions = 0;
};

Printed print_in(std::uint64_t seed) {
  Dice dice{seed + 4711};
  auto options = options_of(seed);
  options.prints = true;
  options.liars = dice.one_in(3) ? 1 : 0;
  if (dice.one_in(3)) options.logs_max = 2000;
  World world{std::move(options)};
  Misfortune misfortune{world, seed + 3};
  if (dice.one_in(2)) world.network.weather = {20 + dice.below(200), 20 + dice.below(200), 20 + dice.below(200), dice.between(0, 20)};
  for (auto times = 1 + dice.below(6); times > 0; --times) {
    world.run_messages(dice.below(200));
    misfortune.strike();
  }
  world.calm();
  const bool ended = finish(world);
  Checker checker{world};
  checker.check_outcome(in_calm_weather(world.options.manner));
  if (ended) checker.check_rest();
  Printed printed;
  printed.segments = checker.check_logs();
  printed.broken = checker.found();
  printed.executions = world.log.executions.size();
  return printed;
}

}  // namespace

TEST_CASE("whatever happens, what is kept was printed by an attempt of its task, and chains end as if nothing were printed") {
  std::uint64_t segments = 0;
  std::uint64_t executions = 0;
  for (std::uint64_t seed = 1; seed <= kPrintingSeeds; ++seed) {
    const auto run = print_in(seed);
    std::string words;
    for (const auto& one : run.broken) words += "\n  " + one;
    INFO("seed " << seed << words);
    CHECK(run.broken.empty());
    segments += run.segments;
    executions += run.executions;
  }
  // Most of it arrives.
  CHECK(segments > executions);
}

}  // namespace catena::simulation
