#include "base/index_set.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/random.hpp"

namespace catena {
namespace {

/// Sorted, disjoint, never adjacent, never empty.
bool well_formed(const IndexSet& set) {
  const auto runs = set.ranges();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].first >= runs[i].last) return false;
    if (i > 0 && runs[i - 1].last >= runs[i].first) return false;
  }
  return true;
}

std::set<std::uint32_t> model_of(const IndexSet& set) {
  std::set<std::uint32_t> model;
  set.for_each([&](std::uint32_t index) { model.insert(index); });
  return model;
}

/// A set and what it should hold, changed together.
struct Pair {
  IndexSet set;
  std::set<std::uint32_t> model;
};

}  // namespace

TEST_CASE("an index set behaves as a set of numbers does") {
  constexpr std::uint32_t kSpan = 40;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    auto random = seed;
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>((random = mix(random)) % bound); };
    Pair pair;
    for (int i = 0; i < 150; ++i) {
      const auto first = below(kSpan);
      const auto last = first + below(8);
      IndexSet runs = IndexSet::range(first, last);
      if (below(2) == 0) runs.insert(IndexSet::range(below(kSpan), kSpan));
      switch (below(5)) {
        case 0: REQUIRE(pair.set.insert(first) == pair.model.insert(first).second); break;
        case 1: REQUIRE(pair.set.erase(first) == (pair.model.erase(first) == 1)); break;
        case 2:
          pair.set.insert(runs);
          runs.for_each([&](std::uint32_t index) { pair.model.insert(index); });
          break;
        case 3:
          pair.set.erase(runs);
          runs.for_each([&](std::uint32_t index) { pair.model.erase(index); });
          break;
        default: {
          const auto taken = model_of(pair.set.take(below(4)));
          for (const auto index : taken) {
            REQUIRE(index == *pair.model.begin());
            pair.model.erase(pair.model.begin());
          }
        }
      }
      REQUIRE(well_formed(pair.set));
      REQUIRE(model_of(pair.set) == pair.model);
      REQUIRE(pair.set.size() == pair.model.size());
      REQUIRE(pair.set.empty() == pair.model.empty());
      if (!pair.model.empty()) REQUIRE(pair.set.front() == *pair.model.begin());
      for (std::uint32_t index = 0; index < kSpan + 8; ++index) REQUIRE(pair.set.contains(index) == pair.model.contains(index));
      REQUIRE(pair.set.contains(runs) == std::ranges::all_of(model_of(runs), [&](auto index) { return pair.model.contains(index); }));
      REQUIRE(index_set_from_json(to_json(pair.set)) == pair.set);
    }
  }
}

TEST_CASE("neighbouring runs become one") {
  auto set = IndexSet::range(0, 3);
  set.insert(IndexSet::range(5, 8));
  set.insert(IndexSet::range(3, 5));
  CHECK(to_json(set) == Json::parse("[[0,8]]"));
  set.erase(4);
  CHECK(to_json(set) == Json::parse("[[0,4],[5,8]]"));
}

TEST_CASE("take gives no more than there is, and nothing when asked for nothing") {
  auto set = IndexSet::range(2, 5);
  CHECK(set.take(0).empty());
  CHECK(set.take(2) == IndexSet::range(2, 4));
  CHECK(set.take(99) == IndexSet::one(4));
  CHECK(set.take(1).empty());
}

TEST_CASE("every set contains the empty one, and a range the wrong way round is empty") {
  CHECK(IndexSet{}.contains(IndexSet{}));
  CHECK(IndexSet::range(7, 7).empty());
  CHECK(IndexSet::range(9, 2).empty());
}

TEST_CASE("what is no list of runs gives what could be read of it") {
  CHECK(index_set_from_json(Json("x")).empty());
  CHECK(index_set_from_json(Json::parse(R"([[0,2],[5],"x",[7,"y"],[-1,3],[4,6]])")) == index_set_from_json(Json::parse("[[0,2],[4,6]]")));
  CHECK(index_set_from_json(Json::parse("[[4,6],[0,5],[3,1]]")) == IndexSet::range(0, 6));
}

TEST_CASE("a set is written and read as people do, and nothing else is read") {
  IndexSet set = IndexSet::range(7, 10);
  set.insert(3);
  CHECK(to_text(set) == "3,7-9");
  CHECK(index_set_from_text("3,7-9") == set);
  CHECK(index_set_from_text("9,8,3,7") == set);
  CHECK(to_text({}).empty());
  for (const auto* text : {"", ",", "3,", "-3", "9-7", "3-", "x", "3 ,4", "4294967295", "99999999999"}) {
    INFO(text);
    CHECK_FALSE(index_set_from_text(text));
  }
}

TEST_CASE("what two sets have in common is what both contain") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    IndexSet a;
    IndexSet b;
    std::set<std::uint32_t> wanted;
    for (std::uint32_t index = 0; index < 40; ++index) {
      const auto coin = mix(round * 64 + index);
      if ((coin & 1U) != 0) a.insert(index);
      if ((coin & 2U) != 0) b.insert(index);
      if ((coin & 3U) == 3) wanted.insert(index);
    }
    std::set<std::uint32_t> found;
    both(a, b).for_each([&](std::uint32_t index) { found.insert(index); });
    CHECK(found == wanted);
  }
}

TEST_CASE("bits count what is set and survive being written") {
  for (const std::uint32_t width : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    INFO("width " << width);
    IndexBits bits{width};
    std::set<std::uint32_t> model;
    for (std::uint64_t i = 0; width > 0 && i < 300; ++i) {
      const auto index = static_cast<std::uint32_t>(mix(i) % width);
      if (mix(i + 1000) % 3 == 0) {
        REQUIRE(bits.reset(index) == (model.erase(index) == 1));
      } else {
        REQUIRE(bits.set(index) == model.insert(index).second);
      }
      REQUIRE(bits.count() == model.size());
    }
    for (std::uint32_t index = 0; index < width + 70; ++index) REQUIRE(bits.test(index) == model.contains(index));
    CHECK(IndexBits::from_bytes(width, bits.bytes()) == bits);
  }
}

TEST_CASE("bits that are not set take no bytes at the end") {
  IndexBits bits{1'000'000};
  CHECK(bits.bytes().empty());
  bits.set(8);
  CHECK(bits.bytes().size() == 2);
}

TEST_CASE("more bytes than the width holds are passed over") { CHECK(IndexBits::from_bytes(64, std::string(100, '\xff')).count() == 64); }

}  // namespace catena
