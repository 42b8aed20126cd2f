#include "engine/placement.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/fleet.hpp"

namespace catena::engine {
namespace {

constexpr std::uint64_t kTurnOfTheOldest = 16;

bool same(const std::shared_ptr<const Reason>& a, const std::shared_ptr<const Reason>& b) { return a == b || (a && b && *a == *b); }

}  // namespace

std::uint64_t weight_of(std::int32_t priority) {
  return 1ULL << static_cast<unsigned>(std::clamp(priority, -kPriorityMax, kPriorityMax) + kPriorityMax);
}

struct Placement::State {
  using PoolId = Fleet::PoolId;

  /// Wants of one share and one pool: those on the longest way first, then in turn.
  struct WantRank {
    std::uint32_t urgency = 0;
    std::uint64_t served = 0;
    WantKey key = 0;
    friend bool operator==(const WantRank&, const WantRank&) = default;
    friend auto operator<=>(const WantRank& a, const WantRank& b) {
      return std::tie(b.urgency, a.served, a.key) <=> std::tie(a.urgency, b.served, b.key);
    }
  };

  /// Shares: who would hold the least for its weight, then who was served longest ago.
  struct ShareRank {
    std::uint64_t score = 0;
    std::uint64_t since = 0;
    ShareKey key = 0;
    friend auto operator<=>(const ShareRank&, const ShareRank&) = default;
  };

  /// Who waits for workers of one pool. It is there as long as somebody does.
  struct Queue {
    std::set<ShareRank> turns;                          // shares with wants
    std::set<std::pair<std::uint64_t, ShareKey>> ages;  // the same, by since when they wait
    std::map<WorkerId, std::set<AskKey>> asks;          // after idle slots, by the worker at which they are not to be
    std::shared_ptr<const Reason> why;                  // what the wants were told
  };

  struct Share {
    std::uint64_t held = 0;
    std::int32_t priority = 0;
    std::uint64_t since = 0;  // it was served last, or began to want
    std::map<PoolId, std::set<WantRank>> wants;
    [[nodiscard]] ShareRank rank(ShareKey key) const {
      constexpr std::uint64_t kUnit = 1ULL << static_cast<unsigned>(2 * kPriorityMax);
      return {(held + 1) * (kUnit / weight_of(priority)), since, key};
    }
  };

  struct WantEntry {
    Want want;
    PoolId of = 0;
    std::uint64_t served = 0;
    std::shared_ptr<const Reason> told = {};
    [[nodiscard]] WantRank rank() const { return {want.urgency, served, want.key}; }
  };

  struct Ask {
    PoolId of = 0;
    WorkerId other_than;
  };

  Fleet fleet;
  std::map<PoolId, Queue> queues;
  std::set<PoolId> asked;  // pools with asks
  std::map<WantKey, WantEntry> wants;
  std::map<AskKey, Ask> asks;
  std::map<ShareKey, Share> shares;
  std::vector<WantKey> fresh;  // wants of which nothing was said yet
  std::uint64_t told_of = 0;   // the newest change of the fleet whose news was told
  std::uint64_t turn = 0;      // tickets given so far
  std::uint64_t looks = 0;     // at pools

  // ---- who waits where

  Queue& queue_of(PoolId id) {
    const auto [queue, made] = queues.try_emplace(id);
    if (made) fleet.keep(id, true);
    return queue->second;
  }

  void leave_queue(PoolId id) {
    const auto queue = queues.find(id);
    if (!queue->second.turns.empty() || !queue->second.asks.empty()) return;
    queues.erase(queue);
    fleet.keep(id, false);
  }

  // ---- shares and their turns

  /// Whatever moves a share in the queues happens in here.
  template <class Change>
  void change_share(ShareKey key, const Change& change) {
    auto& share = shares[key];
    if (share.wants.empty()) share.since = turn;
    const auto before = share.rank(key);
    change(share);
    const auto after = share.rank(key);
    for (auto at = share.wants.begin(); at != share.wants.end();) {
      const auto id = at->first;
      auto& queue = queue_of(id);
      auto its_turn = queue.turns.extract(before);  // empty: it did not wait there so far
      if (at->second.empty()) {
        queue.ages.erase({before.since, key});
        at = share.wants.erase(at);
        if (!queue.turns.empty()) continue;
        fleet.want(id, false);
        leave_queue(id);
        continue;
      }
      if (its_turn.empty()) {
        if (queue.turns.empty()) fleet.want(id, true);
        queue.turns.insert(after);
        queue.ages.emplace(after.since, key);
      } else {
        its_turn.value() = after;
        queue.turns.insert(std::move(its_turn));
        if (after.since != before.since) {
          auto age = queue.ages.extract({before.since, key});
          age.value().first = after.since;
          queue.ages.insert(std::move(age));
        }
      }
      ++at;
    }
    if (share.wants.empty() && share.held == 0) shares.erase(key);
  }

  void remove_want(WantKey key) {
    const auto known = wants.find(key);
    if (known == wants.end()) return;
    const auto& entry = known->second;
    change_share(entry.want.share, [&](Share& share) { share.wants.at(entry.of).erase(entry.rank()); });
    wants.erase(known);
  }

  /// The want whose turn it is among those that a worker has room for; null when there is none.
  WantEntry* next_want() {
    const bool oldest = turn % kTurnOfTheOldest == kTurnOfTheOldest - 1;
    std::optional<std::tuple<std::uint64_t, std::uint64_t, ShareKey, WantRank>> best;
    for (const auto id : fleet.ready()) {
      ++looks;
      const auto& queue = queues.at(id);
      auto rank = *queue.turns.begin();
      if (oldest) rank = {0, queue.ages.begin()->first, queue.ages.begin()->second};
      const std::tuple candidate{rank.score, rank.since, rank.key, *shares.at(rank.key).wants.at(id).begin()};
      if (!best || candidate < *best) best = candidate;
    }
    return best ? &wants.at(std::get<WantRank>(*best).key) : nullptr;
  }

  void withdraw_ask(AskKey key) {
    const auto known = asks.find(key);
    if (known == asks.end()) return;
    const auto of = known->second.of;
    auto& waiting = queues.at(of).asks;
    const auto there = waiting.find(known->second.other_than);
    there->second.erase(key);
    if (there->second.empty()) waiting.erase(there);
    if (waiting.empty()) asked.erase(of);
    leave_queue(of);
    asks.erase(known);
  }

  static void tell(std::vector<PlacementNews>& news, WantEntry& entry, const std::shared_ptr<const Reason>& why) {
    if (same(entry.told, why)) return;
    entry.told = why;
    news.push_back({entry.want.key, why});
  }
};

Placement::Placement() : state_{std::make_unique<State>()} {}
Placement::~Placement() = default;
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;

// ---- the fleet --------------------------------------------------------------------------------------------------------

void Placement::put_node(Node node) { state_->fleet.put_node(std::move(node)); }

void Placement::remove_node(const WorkerId& id) { state_->fleet.remove_node(id); }

void Placement::set_state(const WorkerId& id, NodeState state) { state_->fleet.set_state(id, state); }

void Placement::add_program(const WorkerId& id, const std::string& hash) { state_->fleet.add_program(id, hash); }

const Node* Placement::node(const WorkerId& id) const { return state_->fleet.node(id); }

std::vector<const Node*> Placement::nodes() const { return state_->fleet.nodes(); }

// ---- wants and tickets ------------------------------------------------------------------------------------------------

void Placement::put_want(Want want) {
  if (want.wanted == 0) return remove_want(want.key);
  auto& state = *state_;
  const auto known = state.wants.find(want.key);
  const bool moved = known == state.wants.end() || known->second.want.share != want.share || known->second.want.need != want.need;
  if (moved) {
    auto told = known == state.wants.end() ? nullptr : known->second.told;
    state.remove_want(want.key);
    state.fresh.push_back(want.key);
    const auto of = state.fleet.pool_of(want.need);
    const auto& entry = state.wants.emplace(want.key, State::WantEntry{std::move(want), of, state.turn, std::move(told)}).first->second;
    return state.change_share(entry.want.share, [&](State::Share& share) {
      share.priority = entry.want.priority;
      share.wants[of].insert(entry.rank());
    });
  }
  auto& entry = known->second;
  if (entry.want.priority == want.priority && entry.want.urgency == want.urgency) {
    entry.want.wanted = want.wanted;
    return;
  }
  state.change_share(entry.want.share, [&](State::Share& share) {
    share.priority = want.priority;
    auto& ranks = share.wants.at(entry.of);
    ranks.erase(entry.rank());
    entry.want = std::move(want);
    ranks.insert(entry.rank());
  });
}

void Placement::remove_want(WantKey key) { state_->remove_want(key); }

std::optional<Placed> Placement::next() {
  auto& state = *state_;
  auto* entry = state.next_want();
  if (entry == nullptr) return std::nullopt;
  const auto& node = state.fleet.best(entry->of, entry->want.need);
  const Placed placed{entry->want.key, node.id, node.incarnation, entry->want.wanted - 1};
  state.fleet.add_free(node.id, -1);
  ++state.turn;
  state.change_share(entry->want.share, [&](State::Share& share) {
    auto& ranks = share.wants.at(entry->of);
    ranks.erase(entry->rank());
    share.since = state.turn;
    entry->served = state.turn;
    ++share.held;
    if (--entry->want.wanted > 0) ranks.insert(entry->rank());
  });
  if (placed.left == 0) state.wants.erase(placed.want);
  return placed;
}

void Placement::claim(ShareKey share, const WorkerId& worker) {
  state_->change_share(share, [](State::Share& claiming) { ++claiming.held; });
  state_->fleet.add_free(worker, -1);
}

bool Placement::give_back(ShareKey share, const WorkerId& worker, Incarnation incarnation) {
  if (const auto known = state_->shares.find(share); known != state_->shares.end() && known->second.held > 0) {
    state_->change_share(share, [](State::Share& holding) { --holding.held; });
  }
  const auto* node = state_->fleet.node(worker);
  if (node == nullptr || node->incarnation != incarnation) return false;
  state_->fleet.add_free(worker, 1);
  return true;
}

void Placement::ask_room(AskKey key, const Need& need, const WorkerId& other_than) {
  state_->withdraw_ask(key);
  const auto of = state_->fleet.pool_of(need);
  state_->asks[key] = {of, other_than};
  state_->queue_of(of).asks[other_than].insert(key);
  state_->asked.insert(of);
}

void Placement::withdraw_ask(AskKey key) { state_->withdraw_ask(key); }

std::optional<RoomFound> Placement::next_room() {
  for (const auto id : state_->asked) {
    for (const auto& [other_than, keys] : state_->queues.at(id).asks) {
      ++state_->looks;
      const auto slots = state_->fleet.idle(id, other_than);
      if (slots > 0) {
        const RoomFound found{*keys.begin(), static_cast<std::uint32_t>(slots)};
        state_->withdraw_ask(found.ask);
        return found;
      }
      // One worker may have all that is idle: there is something for those who ask for another. With nothing idle there is not.
      if (!state_->fleet.any_idle(id)) break;
    }
  }
  return std::nullopt;
}

// ---- questions --------------------------------------------------------------------------------------------------------

std::vector<PlacementNews> Placement::news() {
  auto& state = *state_;
  std::vector<PlacementNews> news;
  if (std::exchange(state.told_of, state.fleet.changes()) != state.fleet.changes()) {
    for (const auto id : state.fleet.wanted()) {
      ++state.looks;
      auto& queue = state.queues.at(id);
      auto why = state.fleet.why(id);
      if (same(queue.why, why)) continue;
      queue.why = std::move(why);
      for (const auto& turn : queue.turns) {
        for (const auto& want : state.shares.at(turn.key).wants.at(id)) State::tell(news, state.wants.at(want.key), queue.why);
      }
    }
  }
  for (const auto key : std::exchange(state.fresh, {})) {
    const auto known = state.wants.find(key);
    if (known == state.wants.end()) continue;
    auto& queue = state.queues.at(known->second.of);
    queue.why = state.fleet.why(known->second.of);
    State::tell(news, known->second, queue.why);
  }
  return news;
}

std::optional<Reason> Placement::explain(WantKey key) const {
  const auto known = state_->wants.find(key);
  return known == state_->wants.end() ? std::nullopt : engine::explain(known->second.want.need, state_->fleet.nodes());
}

const Want* Placement::want(WantKey key) const {
  const auto known = state_->wants.find(key);
  return known == state_->wants.end() ? nullptr : &known->second.want;
}

bool Placement::unsatisfiable(WantKey key) const {
  const auto known = state_->wants.find(key);
  return known != state_->wants.end() && !state_->fleet.open(known->second.of);
}

std::uint64_t Placement::looks() const { return state_->looks + state_->fleet.looks(); }

}  // namespace catena::engine
