#pragma once
// What the runs of the simulation have in common: how a world is drawn, how long it may take, and what it is compared with.
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tests/simulation/world.hpp"

namespace catena::simulation {

/// Until all chains have ended; false when they do not in a time that is ample.
[[nodiscard]] bool finish(World& world);

/// How each sample ends where nothing happens to it, with responses that are signed, or not.
[[nodiscard]] const std::map<std::string, actors::ChainEnded>& in_calm_weather(const Manner& manner);

/// Tells what happens, where CATENA_SIMULATION_LOG is set; else null.
[[nodiscard]] std::function<void(const std::string&)> log_of(std::uint64_t seed);

/// Some workers and some chains.
[[nodiscard]] World::Options options_of(std::uint64_t seed);

/// From the first to the last one: of the suite, or as CATENA_SIMULATION_SEEDS=FROM:TO says.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> seeds();

}  // namespace catena::simulation
