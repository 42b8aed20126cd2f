#include "tests/simulation/runs.hpp"

#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "tests/base/scale.hpp"

namespace catena::simulation {

bool finish(World& world) {
  constexpr Millis kAmple{60'000};
  constexpr std::uint64_t kMostMessages = 400'000;
  const auto end = world.schedule.now() + kAmple;
  auto looked = world.schedule.now();
  for (;;) {
    world.run_messages(40);
    world.collect();
    if (world.all_ended()) return true;
    if (world.schedule.now() - looked > Millis{300}) {
      looked = world.schedule.now();
      world.settle_doubts();
      for (const auto& chain : world.chains) {  // whoever paused it may not have been heard when it took that back
        if (!chain.ended && world.exists(chain.id) && world.state(chain.id).status == engine::ChainStatus::paused)
          world.control_chain(chain.id, engine::Unpause{});
      }
    }
    if (world.schedule.now() > end || world.schedule.messages() > kMostMessages) return false;
  }
}

const std::map<std::string, actors::ChainEnded>& in_calm_weather(const Manner& manner) {
  const auto all_of = [](bool signs) {
    std::map<std::string, actors::ChainEnded> all;
    for (const auto& sample : samples()) {
      World::Options options;
      options.chains = {&sample};
      options.manner.signs = signs;
      World world{options};
      if (!finish(world)) throw std::runtime_error{sample.name + " does not end in calm weather"};
      all[sample.name] = *world.chains.front().ended;
    }
    return all;
  };
  static const auto plain = all_of(false);
  static const auto signed_ones = all_of(true);
  return manner.signs ? signed_ones : plain;
}

std::function<void(const std::string&)> log_of(std::uint64_t seed) {
  if (std::getenv("CATENA_SIMULATION_LOG") == nullptr) return nullptr;
  return [seed](const std::string& words) { std::cerr << "seed " << seed << ": " << words << std::endl; };
}

World::Options options_of(std::uint64_t seed) {
  Dice dice{seed};
  World::Options options;
  options.seed = seed;
  options.workers = 2 + dice.below(3);
  for (auto chains = 1 + dice.below(2); chains > 0; --chains)
    options.chains.push_back(&samples()[dice.below(static_cast<std::uint32_t>(samples().size()))]);
  options.manner.seed = seed;
  options.manner.longest_ms = dice.one_in(3) ? 300 : 40;
  options.manner.very_long_ms = dice.between(kLeaseMs, 4 * kLeaseMs);
  options.log = log_of(seed);
  return options;
}

std::pair<std::uint64_t, std::uint64_t> seeds() {
  constexpr std::uint64_t kSuite = catena::test::scaled(500UL, 90UL);
  const auto* given = std::getenv("CATENA_SIMULATION_SEEDS");
  if (given == nullptr) return {1, kSuite};
  char* colon = nullptr;
  const auto from = std::strtoull(given, &colon, 10);
  const auto to = colon != nullptr && *colon == ':' ? std::strtoull(colon + 1, nullptr, 10) : from;
  return {from, to};
}

}  // namespace catena::simulation
