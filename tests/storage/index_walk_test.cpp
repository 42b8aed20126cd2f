// What several indices have in common.
#include "storage/index_walk.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include "storage/memory_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

using Places = std::vector<std::string>;

std::string prefix_of(int index) { return "x" + std::to_string(index) + std::string(1, '\0'); }

std::string numbered_place(int number) { return fmt::format("{:04}", number); }

/// Every page of a walk that may read so many entries for each, and how many pages there were.
std::pair<Places, int> walked(const Kv& kv, IndexWalk walk, std::size_t entries_max) {
  Places places;
  int pages = 0;
  while (true) {
    ++pages;
    const auto stopped = must(walk_indices(
        kv, walk, [&](std::size_t entries) { return entries < entries_max; },
        [&](std::string_view place, std::string_view value) {
          CHECK(value == fmt::format("value {}", place));
          places.emplace_back(place);
          return true;
        }));
    if (!stopped) return {places, pages};
    CHECK(*stopped >= walk.from);
    walk.from = *stopped + '\0';
  }
}

}  // namespace

TEST_CASE("a walk visits what all indices have, in order, in one page or in many", "[index_walk]") {
  const auto seed = GENERATE(range(0U, 12U));
  std::mt19937 chance{seed};
  INFO("seed " << seed);
  MemoryKv kv;
  const int indices = 1 + static_cast<int>(chance() % 4);
  IndexWalk walk;
  std::vector<std::set<std::string>> has(static_cast<std::size_t>(indices));
  Batch batch;
  for (int index = 0; index < indices; ++index) {
    walk.prefixes.push_back(prefix_of(index));
    const auto one_of = 1 + chance() % 20;
    for (int number = 0; number < 600; ++number) {
      if (chance() % one_of != 0) continue;
      has[static_cast<std::size_t>(index)].insert(numbered_place(number));
      batch.put(prefix_of(index) + numbered_place(number), index == 0 ? "value " + numbered_place(number) : std::string{});
    }
  }
  batch.put("w", "before all");
  batch.put(prefix_of(indices), "behind all");
  must(kv.write(batch, Durability::sync));
  if (seed % 2 != 0) walk.from = numbered_place(100);
  if (seed % 3 != 0) walk.to = numbered_place(500);
  Places wanted;
  for (const auto& place : has.front()) {
    const bool everywhere = std::ranges::all_of(has, [&](const auto& one) { return one.contains(place); });
    if (everywhere && place >= walk.from && (walk.to.empty() || place < walk.to)) wanted.push_back(place);
  }
  CHECK(walked(kv, walk, 1'000'000) == std::pair{wanted, 1});
  for (const std::size_t entries_max : {std::size_t{1}, std::size_t{50}, std::size_t{400}}) {
    INFO(entries_max);
    CHECK(walked(kv, walk, entries_max).first == wanted);
  }
}

TEST_CASE("several ranges that are one index have what one of them has, once", "[index_walk]") {
  const auto seed = GENERATE(range(0U, 8U));
  std::mt19937 chance{seed};
  INFO("seed " << seed);
  MemoryKv kv;
  IndexWalk walk{.prefixes = {prefix_of(0)}};
  std::set<std::string> all;
  std::set<std::string> any;
  Batch batch;
  for (int number = 0; number < 600; ++number) {
    const auto place = numbered_place(number);
    if (chance() % 3 != 0) all.insert(place), batch.put(prefix_of(0) + place, "value " + place);
    for (int part = 1; part <= 4; ++part) {
      if (chance() % static_cast<unsigned>(40 * part) == 0) any.insert(place), batch.put(prefix_of(part) + place, {});
    }
  }
  must(kv.write(batch, Durability::sync));
  for (int part = 1; part <= 5; ++part) walk.any_of.push_back(prefix_of(part));  // the fifth has none
  Places both;
  std::ranges::set_intersection(all, any, std::back_inserter(both));
  CHECK_FALSE(both.empty());
  CHECK(walked(kv, walk, 1'000'000) == std::pair{both, 1});
  for (const std::size_t entries_max : {std::size_t{1}, std::size_t{100}}) CHECK(walked(kv, walk, entries_max).first == both);
}

TEST_CASE("the index with the fewest entries decides how much is read of the others", "[index_walk]") {
  MemoryKv kv;
  Batch batch;
  for (int number = 0; number < 5000; ++number) batch.put(prefix_of(0) + numbered_place(number), "value " + numbered_place(number));
  for (const int rare : {700, 2500, 4999}) batch.put(prefix_of(1) + numbered_place(rare), "");
  must(kv.write(batch, Durability::sync));
  std::size_t read = 0;
  Places places;
  must(walk_indices(
      kv, {.prefixes = {prefix_of(0), prefix_of(1)}}, [&](std::size_t entries) { return read = entries, true; },
      [&](std::string_view place, std::string_view) { return places.emplace_back(place), true; }));
  CHECK(places == Places{"0700", "2500", "4999"});
  CHECK(read < 250);
}

TEST_CASE("a walk ends where its visitor ends it, and says nothing of a place to go on behind", "[index_walk]") {
  MemoryKv kv;
  Batch batch;
  for (int index = 0; index < 2; ++index) {
    for (int number = 0; number < 9; ++number) batch.put(prefix_of(index) + numbered_place(number), "");
  }
  must(kv.write(batch, Durability::sync));
  for (const auto& prefixes : {Places{prefix_of(0)}, Places{prefix_of(0), prefix_of(1)}}) {
    int visits = 0;
    CHECK(must(walk_indices(
              kv, {.prefixes = prefixes}, [](std::size_t) { return true; }, [&](std::string_view, std::string_view) { return ++visits < 3; })) ==
          std::nullopt);
    CHECK(visits == 3);
  }
}

}  // namespace catena::storage::test
