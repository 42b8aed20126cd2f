// Placement under whatever comes and goes, beside a model that looks at all workers; and how it shares.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "engine/placement.hpp"
#include "tests/engine/dice.hpp"
#include "tests/engine/placing.hpp"

namespace catena::engine::test {
namespace {

// ---- whatever happens -------------------------------------------------------------------------------------------------

/// A fleet and its chains, and next to the placement what it must have counted.
class Market {
 public:
  explicit Market(std::uint64_t seed) : dice_{seed} {}

  void act() {
    switch (dice_.below(13)) {
      case 10: return put_ask();
      case 11: return withdraw_ask();
      case 12: return add_program();
      case 0: return put_node();
      case 1: return lose_node();
      case 2: return control_node();
      case 3:
      case 4:
      case 5: return put_want();
      case 6: return remove_want();
      default: return give_back();
    }
  }

  /// Hands out what can be; what rule was broken.
  std::string serve() {
    for (const auto& news : placement_.news()) {
      if (!wants_.contains(news.want)) return "news of a want that is gone";
      told_[news.want] = news.why ? words(*news.why, {}) : std::string{};
    }
    for (int tickets = 0; tickets < 10'000; ++tickets) {
      const auto placed = placement_.next();
      if (!placed) return leftover();
      trace.push_back(placed->want);
      trace.push_back(static_cast<std::uint64_t>(placed->worker.value.back()));
      const auto known = wants_.find(placed->want);
      if (known == wants_.end()) return "a ticket for a want that is gone";
      const auto at = nodes_.find(placed->worker);
      if (at == nodes_.end() || at->second.incarnation != placed->incarnation) return "a ticket at a worker that is gone";
      if (at->second.state != NodeState::open) return "a ticket at a worker that takes none";
      if (!satisfies(*at->second.offered, known->second.need)) return "a ticket at a worker that does not fit";
      for (const auto& [id, other] : nodes_) {
        const bool could = other.state == NodeState::open && other.free > 0 && satisfies(*other.offered, known->second.need);
        if (could && rank(other, known->second.need) > rank(at->second, known->second.need)) return "another worker is the better one";
      }
      if (--at->second.free < 0) return "more tickets than room";
      held_.push_back({known->second.share, placed->worker, placed->incarnation});
      if (--known->second.wanted != placed->left) return "a want does not count its tickets";
      if (known->second.wanted == 0) told_.erase(known->first), wants_.erase(known);
    }
    return "there is no end of tickets";
  }

  std::vector<std::uint64_t> trace;

 private:
  struct Held {
    ShareKey share = 0;
    WorkerId worker;
    Incarnation incarnation = 0;
  };

  struct Ask {
    Need need;
    WorkerId other_than;
  };

  static std::tuple<bool, std::int64_t, std::int64_t> rank(const Node& node, const Need& need) {
    return {node.idle_slots() > 0, std::ranges::count_if(need.programs, [&](const auto& hash) { return node.programs.contains(hash); }), node.free};
  }

  [[nodiscard]] std::int64_t idle_for(const Ask& ask) const {
    std::int64_t idle = 0;
    for (const auto& [id, node] : nodes_) {
      if (id == ask.other_than || node.state != NodeState::open || node.free <= 0 || !satisfies(*node.offered, ask.need)) continue;
      idle += std::max<std::int64_t>(node.idle_slots(), 0);
    }
    return idle;
  }

  /// Nothing that fits is left lying, and what is said of it is true.
  std::string leftover() {
    while (const auto found = placement_.next_room()) {
      const auto known = asks_.find(found->ask);
      if (known == asks_.end()) return "room for who did not ask";
      if (idle_for(known->second) != found->slots) return "idle slots are not counted";
      trace.push_back(found->ask);
      asks_.erase(known);
    }
    for (const auto& [key, ask] : asks_) {
      if (idle_for(ask) > 0) return "who asks after idle slots does not hear of them";
    }
    for (const auto& [key, want] : wants_) {
      bool any = false;
      for (const auto& [id, node] : nodes_) {
        const bool fits = satisfies(*node.offered, want.need) && node.state == NodeState::open;
        any |= fits;
        if (fits && node.free > 0) return "a want waits though a worker has room";
        if (placement_.node(id)->free != node.free) return "room is not counted";
      }
      if (placement_.unsatisfiable(key) == any) return "what can be satisfied is not known";
      const auto why = placement_.explain(key);
      if (!why) return "a want waits and nobody knows why";
      if (told_[key] != (any ? std::string{} : words(*why, {}))) return "what was said of a want does not hold";
    }
    return {};
  }

  Words some_labels() {
    Words labels;
    for (const auto* label : {"gpu=a", "gpu=b", "disk"}) {
      if (dice_.below(3) == 0) labels.emplace_back(label);
    }
    return labels;
  }

  void put_node() {
    auto made = node("w" + std::to_string(dice_.below(6)), 1 + dice_.below(4), some_labels());
    made.incarnation = ++incarnations_;
    nodes_[made.id] = made;
    placement_.put_node(std::move(made));
  }
  void lose_node() {
    const WorkerId id{"w" + std::to_string(dice_.below(6))};
    nodes_.erase(id);
    placement_.remove_node(id);
  }
  void control_node() {
    const WorkerId id{"w" + std::to_string(dice_.below(6))};
    const auto state = static_cast<NodeState>(dice_.below(3));
    if (nodes_.contains(id)) nodes_.at(id).state = state;
    placement_.set_state(id, state);
  }
  void put_want() {
    const auto key = 1 + dice_.below(12);
    auto made = want(key, 1 + key % 5, dice_.below(6), some_labels());
    made.priority = static_cast<std::int32_t>(key % 5) - 2;
    made.urgency = dice_.below(4);
    for (const auto* hash : {"p1", "p2"}) {
      if (dice_.below(3) == 0) made.need.programs.emplace_back(hash);
    }
    if (made.wanted == 0) told_.erase(key);
    wants_.erase(key);
    if (made.wanted > 0) wants_[key] = made;
    placement_.put_want(std::move(made));
  }
  void remove_want() {
    const auto key = 1 + dice_.below(12);
    wants_.erase(key);
    told_.erase(key);
    placement_.remove_want(key);
  }
  void put_ask() {
    const AskKey key = 1 + dice_.below(6);
    asks_[key] = {{"exec", {}, some_labels(), {}}, WorkerId{"w" + std::to_string(dice_.below(6))}};
    placement_.ask_room(key, asks_[key].need, asks_[key].other_than);
  }
  void withdraw_ask() {
    const AskKey key = 1 + dice_.below(6);
    asks_.erase(key);
    placement_.withdraw_ask(key);
  }
  void add_program() {
    const WorkerId id{"w" + std::to_string(dice_.below(6))};
    const std::string hash = dice_.below(2) == 0 ? "p1" : "p2";
    if (nodes_.contains(id)) nodes_.at(id).programs.insert(hash);
    placement_.add_program(id, hash);
  }
  void give_back() {
    if (held_.empty()) return;
    const auto at = held_.begin() + dice_.below(static_cast<std::uint32_t>(held_.size()));
    const auto known = nodes_.find(at->worker);
    if (known != nodes_.end() && known->second.incarnation == at->incarnation) ++known->second.free;
    placement_.give_back(at->share, at->worker, at->incarnation);
    held_.erase(at);
  }

  Dice dice_;
  Placement placement_;
  std::map<WorkerId, Node> nodes_;
  std::map<WantKey, Want> wants_;
  std::map<WantKey, std::string> told_;  // why none takes it; empty: one does
  std::map<AskKey, Ask> asks_;
  std::vector<Held> held_;
  Incarnation incarnations_ = 0;
};

TEST_CASE("whatever comes and goes: no mismatch, never over room, nothing left lying, the same every time", "[random]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Market market{seed};
    Market again{seed};
    for (int act = 0; act < 150; ++act) {
      market.act();
      again.act();
      REQUIRE(market.serve() == "");
      REQUIRE(again.serve() == "");
    }
    REQUIRE(market.trace == again.trace);
  }
}

/// Chains that always want more, tickets that come back in any order: what each holds on average, and how long the longest wait was.
struct Shares {
  std::map<ShareKey, double> held;  // in tickets, in the mean
  std::uint64_t longest_wait = 0;   // of any chain, in tickets that others got meanwhile
};

Shares shares(std::uint64_t seed, std::uint32_t slots, const std::vector<std::int32_t>& priorities) {
  constexpr std::uint64_t kTickets = 20'000;
  Dice dice{seed};
  Placement placement;
  placement.put_node(node("w1", slots));
  for (ShareKey share = 0; share < priorities.size(); ++share) {
    auto one = want(share, share, UINT32_MAX);
    one.priority = priorities[share];
    placement.put_want(one);
  }
  Shares result;
  std::vector<ShareKey> out;
  std::vector<std::uint64_t> last(priorities.size(), 0);
  for (std::uint64_t ticket = 1; ticket <= kTickets; ++ticket) {
    if (out.size() == slots * kOrdersPerSlot) {
      const auto at = out.begin() + dice.below(static_cast<std::uint32_t>(out.size()));
      placement.give_back(*at, WorkerId{"w1"}, 1);
      out.erase(at);
    }
    const auto share = placement.next()->want;
    out.push_back(share);
    last[share] = ticket;
    for (const auto then : last) result.longest_wait = std::max(result.longest_wait, ticket - then);
    for (const auto holder : out) result.held[holder] += 1.0 / static_cast<double>(kTickets);
  }
  return result;
}

TEST_CASE("chains of one priority hold the same, of higher ones twice as much each", "[random]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const auto even = shares(seed, 10, {0, 0, 0, 0, 0});
    for (const auto& [share, held] : even.held) CHECK(held == Approx(4.0).margin(0.5));
    const auto ranked = shares(seed, 14, {0, 1, 2});  // 28 tickets in weights of 1 : 2 : 4
    CHECK(ranked.held.at(0) == Approx(4.0).margin(1.5));
    CHECK(ranked.held.at(1) == Approx(8.0).margin(1.5));
    CHECK(ranked.held.at(2) == Approx(16.0).margin(1.5));
  }
}

TEST_CASE("nobody waits longer than sixteen tickets for each chain there is", "[random]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    CHECK(shares(seed, 1, {10, 10, 10, 0, 0, -10, -10}).longest_wait <= 16 * 7);
  }
}

TEST_CASE("200,000 tickets among a thousand wants take no longer than a test may") {
  // Not a timing: the work is bounded, or this test takes minutes instead of a second.
  Placement placement;
  for (int worker = 0; worker < 50; ++worker) placement.put_node(node("w" + std::to_string(worker), 8, {worker % 2 == 0 ? "even" : "odd"}));
  for (WantKey key = 0; key < 1000; ++key) {
    placement.put_want(want(key, key / 4, UINT32_MAX, key % 3 == 0 ? Words{"even"} : Words{}));
  }
  std::deque<Placed> out;
  for (int ticket = 0; ticket < 200'000; ++ticket) {
    auto placed = placement.next();
    if (!placed) {
      REQUIRE_FALSE(out.empty());
      placement.give_back(out.front().want / 4, out.front().worker, 1);
      out.pop_front();
      placed = placement.next();
    }
    REQUIRE(placed);
    out.push_back(*placed);
  }
  CHECK(out.size() == 800);
}

}  // namespace
}  // namespace catena::engine::test
