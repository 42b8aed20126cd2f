#include "base/random.hpp"

#include <catch2/catch.hpp>
#include <set>

namespace catena {

static_assert(mix(0) == 0xe220a8397b1dcdafULL, "SplitMix64 gives the same numbers everywhere");

TEST_CASE("neighbouring seeds give different numbers") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) seen.insert(mix(seed));
  CHECK(seen.size() == 10'000);
}

TEST_CASE("entropy does not repeat itself") { CHECK(entropy() != entropy()); }

TEST_CASE("a readable id is its prefix and twelve characters without vowels, the same for the same number") {
  const auto id = readable_id("chain", 12'345);
  CHECK(id == readable_id("chain", 12'345));
  CHECK(id != readable_id("chain", 12'346));
  CHECK(id.size() == std::string{"chain-"}.size() + 12);
  CHECK(id.substr(6).find_first_of("aeiou") == std::string::npos);
}

}  // namespace catena
