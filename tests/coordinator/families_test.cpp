// How many chains of a family live at a time, who comes first, and that nothing stands still which could go on.
#include "coordinator/families.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "base/limits.hpp"

namespace catena::coordinator::test {
namespace {

using actors::Besides;
using Answer = Families::Answer;
using Answers = std::vector<Answer>;
using Verdict = Families::Verdict;

const ChainId kFamily{"c"};
const VisitId kVisit{0, 1};

Families::Want wants(ChainKey chain, std::uint32_t berths, Besides besides = Besides::nothing, VisitId visit = kVisit) {
  return {chain, visit, berths, besides};
}

/// A family with its submitted chain, number 1.
Families family_of_one(std::uint32_t live_max) {
  Families families{live_max};
  families.begin({1, 0, kFamily, 0});
  return families;
}

TEST_CASE("a chain gets the berths there are, and the rest when chains of its family end") {
  auto families = family_of_one(4);
  families.want(wants(1, 5));
  // One is kept free for a child of theirs.
  CHECK(families.answer_waiting() == Answers{{1, kVisit, 3, Verdict::given}});
  for (ChainKey child = 2; child <= 4; ++child) families.begin({child, 1, kFamily, 1});
  CHECK(families.live(kFamily) == 3);
  CHECK(families.answer_waiting().empty());
  families.end(2, Families::Heard::by_parent);
  CHECK(families.answer_waiting() == Answers{{1, kVisit, 1, Verdict::given}});
}

TEST_CASE("the deepest want comes first, then the one that has waited longest") {
  auto families = family_of_one(1);
  families.want(wants(1, 1));
  CHECK(families.answer_waiting().size() == 1);
  families.begin({2, 1, kFamily, 1});
  families.want(wants(1, 1, Besides::nothing, {1, 1}));
  families.want(wants(2, 1, Besides::something, {7, 1}));
  families.want(wants(2, 1, Besides::something, {5, 1}));
  CHECK(families.answer_waiting().empty());
  families.set_spawning(Families::Spawning::closed);
  families.begin({3, 0, ChainId{"other"}, 0});
  families.want(wants(3, 1));
  CHECK(families.answer_waiting().empty());
  families.set_spawning(Families::Spawning::open);
  CHECK(families.answer_waiting() == Answers{{3, kVisit, 1, Verdict::given}});  // another family has room of its own
  families.end(2, Families::Heard::by_parent);
  CHECK(families.answer_waiting() == Answers{{1, {1, 1}, 1, Verdict::given}});
}

TEST_CASE("when all of a family wait for berths and for nothing else, the deepest want is refused") {
  auto families = family_of_one(1);
  families.want(wants(1, 1));
  static_cast<void>(families.answer_waiting());
  families.begin({2, 1, kFamily, 1});
  families.want(wants(2, 2));
  CHECK(families.answer_waiting() == Answers{{2, kVisit, 1, Verdict::refused}});
  CHECK(families.answer_waiting().empty());  // it has the refusal to deal with
  families.want(wants(2, 1));
  CHECK(families.answer_waiting() == Answers{{2, kVisit, 1, Verdict::refused}});
}

TEST_CASE("nothing is refused while a chain of the family has something else to do") {
  auto families = family_of_one(2);
  families.want(wants(1, 2));
  static_cast<void>(families.answer_waiting());
  families.begin({2, 1, kFamily, 1});
  families.begin({3, 1, kFamily, 1});
  families.want(wants(2, 1));
  families.want(wants(3, 1, Besides::something));
  CHECK(families.answer_waiting().empty());
  families.want(wants(3, 1));
  CHECK(families.answer_waiting() == Answers{{2, kVisit, 1, Verdict::refused}});
}

TEST_CASE("a parent that is to hear of a child's end is not taken for one that waits") {
  auto families = family_of_one(2);
  families.want(wants(1, 1));
  static_cast<void>(families.answer_waiting());
  families.begin({2, 1, kFamily, 1});
  families.want(wants(2, 1));
  static_cast<void>(families.answer_waiting());
  families.begin({3, 2, kFamily, 2});
  families.begin({4, 1, kFamily, 1});  // the family is over its bound
  families.want(wants(2, 1));
  families.want(wants(4, 1));
  families.end(3, Families::Heard::by_parent);
  CHECK(families.answer_waiting().empty());
  families.want(wants(2, 1));
  CHECK(families.answer_waiting() == Answers{{2, kVisit, 1, Verdict::refused}});
}

TEST_CASE("berths that are given back, and those of a chain that ends or dies, are free again") {
  auto families = family_of_one(2);
  families.want(wants(1, 2));
  CHECK(families.answer_waiting() == Answers{{1, kVisit, 2, Verdict::given}});
  families.give_back(1, 1);
  families.give_back(1, 7);
  CHECK(families.live(kFamily) == 0);
  families.want(wants(1, 1));
  CHECK(families.answer_waiting().size() == 1);
  families.falter(1);
  CHECK(families.live(kFamily) == 0);
  families.begin({1, 0, kFamily, 0});  // it is rebuilt
  families.want(wants(1, 1));
  CHECK(families.answer_waiting().size() == 1);
  families.end(1, Families::Heard::by_nobody);
  CHECK(families.live(kFamily) == 0);
}

TEST_CASE("a recovered chain has berths for the children it had, and is not taken for one that only waits") {
  Families families{2};
  families.begin({1, 0, kFamily, 0, 2});
  CHECK(families.live(kFamily) == 2);
  families.want(wants(1, 1));
  CHECK(families.answer_waiting().empty());
  families.begin({2, 1, kFamily, 1});
  families.give_back(1, 1);  // the other has ended since
  CHECK(families.live(kFamily) == 1);
  CHECK(families.answer_waiting() == Answers{{1, kVisit, 1, Verdict::given}});
}

TEST_CASE("children that had lived before their parent was recovered take their berths, whatever the bound is now") {
  auto families = family_of_one(1);
  families.begin({2, 1, kFamily, 1});
  families.begin({3, 1, kFamily, 1});
  CHECK(families.live(kFamily) == 2);
  families.want(wants(1, 1));
  families.end(2, Families::Heard::by_parent);
  CHECK(families.answer_waiting().empty());
}

/// Trees of chains that run their children at the same time and end when all of them have.
class Forest {
 public:
  Forest(std::uint32_t live_max, std::uint32_t depth_max, std::uint32_t seed) : families_{live_max}, depth_max_{depth_max}, random_{seed} {
    begin(0, 0);
  }

  /// The most that lived at a time, once all has ended.
  std::uint32_t run() {
    std::uint32_t most = 0;
    while (!chains_.empty()) {
      for (const auto& answer : families_.answer_waiting()) take(answer);
      most = std::max(most, families_.live(kFamily));
      const auto before = moves_;
      if (!move()) {
        for (const auto& answer : families_.answer_waiting()) take(answer);
        if (before == moves_) throw std::runtime_error{"it stands still"};
      }
    }
    return most;
  }
  [[nodiscard]] std::uint32_t refused() const { return refused_; }
  [[nodiscard]] std::uint32_t begun() const { return static_cast<std::uint32_t>(last_); }

 private:
  struct Chain {
    ChainKey parent = 0;
    std::uint32_t depth = 0;
    std::uint32_t to_start = 0;
    std::uint32_t running = 0;
    std::uint32_t given = 0;  // berths at hand
    bool told = false;
  };

  void begin(ChainKey parent, std::uint32_t depth) {
    const auto key = ++last_;
    auto& chain = chains_[key];
    chain.parent = parent;
    chain.depth = depth;
    if (depth < depth_max_ && last_ < 3000) chain.to_start = random_() % 4;
    families_.begin({key, parent, kFamily, depth});
  }

  void take(const Answer& answer) {
    ++moves_;
    auto& chain = chains_.at(answer.chain);
    if (answer.verdict == Verdict::given) {
      chain.given += answer.berths;
    } else {
      ++refused_;
      chain.to_start = 0;  // it fails
      chain.told = false;
    }
  }

  /// Something that one chain can do, chosen by chance.
  bool move() {
    std::vector<ChainKey> keys;
    for (const auto& [key, chain] : chains_) {
      const bool ends = chain.to_start == 0 && chain.running == 0;
      if (chain.given > 0 || ends || !chain.told) keys.push_back(key);
    }
    if (keys.empty()) return false;
    ++moves_;
    const auto key = keys[random_() % keys.size()];
    auto& chain = chains_.at(key);
    if (chain.given > 0) {
      --chain.given;
      if (chain.to_start == 0) {
        families_.give_back(key, 1);
      } else {
        --chain.to_start;
        ++chain.running;
        const auto depth = chain.depth + 1;
        begin(key, depth);
      }
    } else if (chain.to_start == 0 && chain.running == 0) {
      const auto parent = chain.parent;
      chains_.erase(key);
      families_.end(key, Families::Heard::by_parent);
      if (const auto found = chains_.find(parent); found != chains_.end()) {
        --found->second.running;
        found->second.told = false;
      }
    } else {
      chain.told = true;
      families_.want(wants(key, chain.to_start));
    }
    return true;
  }

  Families families_;
  std::uint32_t depth_max_;
  std::mt19937 random_;
  std::map<ChainKey, Chain> chains_;
  ChainKey last_ = 0;
  std::uint64_t moves_ = 0;
  std::uint32_t refused_ = 0;
};

TEST_CASE("a family no deeper than half of its bound ends without a refusal, in whatever order its chains move") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Forest forest{16, 8, seed};
    CHECK(forest.run() <= 16);
    CHECK(forest.refused() == 0);
  }
}

TEST_CASE("one as deep as composites nest needs no more than 128") {
  Forest forest{128, limits::kCompositeDepthMax, 7};
  CHECK(forest.run() <= 128);
  CHECK(forest.refused() == 0);
}

TEST_CASE("a deeper family ends too: it stays within its bound, and what cannot go on is refused") {
  std::uint32_t refused = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Forest forest{6, 40, seed};
    CHECK(forest.run() <= 6);
    refused += forest.refused();
  }
  CHECK(refused > 0);
}

}  // namespace
}  // namespace catena::coordinator::test
