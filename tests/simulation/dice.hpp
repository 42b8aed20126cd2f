#pragma once
// Chance, from a seed.
#include <cstdint>

#include "base/random.hpp"

namespace catena::simulation {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{mix(seed)} {}
  std::uint64_t next() { return state_ = mix(state_); }
  /// From 0 to bound - 1.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
  }
  /// 0: never.
  bool one_in(std::uint32_t odds) { return odds != 0 && below(odds) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace catena::simulation
