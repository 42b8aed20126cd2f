#pragma once
// Randomness comes in as a number: seeds are arguments, and mixing one is a pure function.
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// A well-mixed number from a seed (SplitMix64, Steele et al. 2014): the same seed gives the same number, everywhere.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15ULL;
  seed = (seed ^ (seed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  seed = (seed ^ (seed >> 27U)) * 0x94d049bb133111ebULL;
  return seed ^ (seed >> 31U);
}

/// 64 bits from the operating system. For ids and incarnations only; decisions take seeds.
[[nodiscard]] std::uint64_t entropy();

/// `prefix-` and 12 characters of base 32 (no vowels that spell words) from a number: ids that people can say.
[[nodiscard]] std::string readable_id(std::string_view prefix, std::uint64_t number);

}  // namespace catena
