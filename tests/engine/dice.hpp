#pragma once
// Chance that a seed repeats.
#include <cstdint>

#include "base/random.hpp"

namespace catena::engine::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{mix(seed)} {}
  std::uint64_t next() { return state_ = mix(state_); }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  bool one_in(std::uint32_t odds) { return below(odds) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace catena::engine::test
