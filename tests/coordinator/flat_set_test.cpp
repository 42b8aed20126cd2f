#include "coordinator/flat_set.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <set>
#include <vector>

namespace catena::coordinator::test {

TEST_CASE("a flat set has what a set has, in the same order") {
  FlatSet<int> flat;
  std::set<int> usual;
  std::uint64_t dice = 7;
  for (int step = 0; step < 2000; ++step) {
    dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto value = static_cast<int>((dice >> 33U) % 50);
    if ((dice >> 60U) % 3 == 0) {
      CHECK(flat.erase(value) == usual.erase(value));
    } else {
      flat.insert(value);
      usual.insert(value);
    }
    CHECK(flat.contains(value) == usual.contains(value));
    CHECK(flat.empty() == usual.empty());
  }
  flat.erase_where([](int value) { return value % 2 == 0; });
  std::erase_if(usual, [](int value) { return value % 2 == 0; });
  CHECK(std::vector<int>(flat.begin(), flat.end()) == std::vector<int>(usual.begin(), usual.end()));
}

}  // namespace catena::coordinator::test
