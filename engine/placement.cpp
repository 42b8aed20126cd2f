#include "engine/placement.hpp"

#include <algorithm>
#include <compare>
#include <tuple>

namespace catena::engine {
namespace {

constexpr std::uint64_t kTurnOfTheOldest = 16;
constexpr std::size_t kClassesKept = 256;  // needs that nobody has at the moment, so that the next who has one finds it worked out

bool usable(const Node& node) { return node.state == NodeState::open && node.free > 0; }

std::int64_t programs_at(const Node& node, const Need& need) {
  return std::ranges::count_if(need.programs, [&](const auto& hash) { return node.programs.contains(hash); });
}

}  // namespace

std::uint64_t weight_of(std::int32_t priority) {
  return 1ULL << static_cast<unsigned>(std::clamp(priority, -kPriorityMax, kPriorityMax) + kPriorityMax);
}

struct Placement::State {
  using ClassId = std::uint64_t;

  /// Wants of one share and one need: those on the longest way first, then in turn.
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

  struct NodeEntry {
    Node node;
    std::vector<ClassId> classes;  // of needs that it satisfies
  };

  /// All that have the same need.
  struct NeedClass {
    Need need;
    std::vector<NodeEntry*> nodes;                      // that satisfy it, by id
    std::uint32_t usable = 0;                           // of them
    std::set<ShareRank> turns;                          // shares with wants
    std::set<std::pair<std::uint64_t, ShareKey>> ages;  // the same, by since when they wait
  };

  struct Share {
    std::uint64_t held = 0;
    std::int32_t priority = 0;
    std::uint64_t since = 0;  // it was served last, or began to want
    std::map<ClassId, std::set<WantRank>> wants;
    [[nodiscard]] ShareRank rank(ShareKey key) const {
      constexpr std::uint64_t kUnit = 1ULL << static_cast<unsigned>(2 * kPriorityMax);
      return {(held + 1) * (kUnit / weight_of(priority)), since, key};
    }
  };

  struct WantEntry {
    Want want;
    ClassId of = 0;
    std::uint64_t served = 0;
    [[nodiscard]] WantRank rank() const { return {want.urgency, served, want.key}; }
  };

  std::map<WorkerId, NodeEntry> nodes;
  std::map<ClassId, NeedClass> classes;
  std::map<Need, ClassId> by_need;
  std::set<ClassId> wanting;  // classes with wants
  std::map<WantKey, WantEntry> wants;
  std::map<ShareKey, Share> shares;
  ClassId last_class = 0;
  std::uint64_t turn = 0;  // tickets given so far

  // ---- needs and who satisfies them

  ClassId class_of(const Need& need) {
    if (const auto known = by_need.find(need); known != by_need.end()) return known->second;
    forget_idle_classes();
    const auto id = ++last_class;
    auto& made = classes[id];
    made.need = need;
    for (auto& [worker, entry] : nodes) join(made, id, entry);
    by_need.emplace(need, id);
    return id;
  }

  static void join(NeedClass& to, ClassId id, NodeEntry& entry) {
    if (!satisfies(*entry.node.offered, to.need)) return;
    const auto at = std::ranges::lower_bound(to.nodes, entry.node.id, {}, [](const NodeEntry* other) { return other->node.id; });
    to.nodes.insert(at, &entry);
    entry.classes.push_back(id);
    if (usable(entry.node)) ++to.usable;
  }

  void forget_idle_classes() {
    if (classes.size() < wanting.size() + kClassesKept) return;
    for (auto at = classes.begin(); at != classes.end();) {
      if (wanting.contains(at->first)) {
        ++at;
        continue;
      }
      for (auto* entry : at->second.nodes) std::erase(entry->classes, at->first);
      by_need.erase(at->second.need);
      at = classes.erase(at);
    }
  }

  template <class Change>
  void change_node(NodeEntry& entry, const Change& change) {
    const bool before = usable(entry.node);
    change(entry.node);
    const bool after = usable(entry.node);
    if (before == after) return;
    for (const auto id : entry.classes) after ? ++classes.at(id).usable : --classes.at(id).usable;
  }

  void remove_node(const WorkerId& id) {
    const auto known = nodes.find(id);
    if (known == nodes.end()) return;
    for (const auto of : known->second.classes) {
      auto& left = classes.at(of);
      std::erase(left.nodes, &known->second);
      if (usable(known->second.node)) --left.usable;
    }
    nodes.erase(known);
  }

  /// The worker for the next ticket of this need. Cost: its workers.
  static NodeEntry& best_node(const NeedClass& of) {
    using Rank = std::tuple<bool, std::int64_t, std::int64_t>;
    NodeEntry* best = nullptr;
    Rank best_rank;
    for (auto* entry : of.nodes) {
      if (!usable(entry->node)) continue;
      const Rank rank{entry->node.idle_slots() > 0, programs_at(entry->node, of.need), entry->node.free};
      if (best != nullptr && rank <= best_rank) continue;
      best = entry;
      best_rank = rank;
    }
    return *best;
  }

  // ---- shares and their turns

  /// Whatever moves a share in the queues happens in here.
  template <class Change>
  void change_share(ShareKey key, const Change& change) {
    auto& share = shares[key];
    for (const auto& [id, wants_there] : share.wants) {
      auto& of = classes.at(id);
      of.turns.erase(share.rank(key));
      of.ages.erase({share.since, key});
      if (of.turns.empty()) wanting.erase(id);
    }
    if (share.wants.empty()) share.since = turn;
    change(share);
    std::erase_if(share.wants, [](const auto& row) { return row.second.empty(); });
    for (const auto& [id, wants_there] : share.wants) {
      auto& of = classes.at(id);
      of.turns.insert(share.rank(key));
      of.ages.emplace(share.since, key);
      wanting.insert(id);
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
    for (const auto id : wanting) {
      const auto& of = classes.at(id);
      if (of.usable == 0) continue;
      auto rank = *of.turns.begin();
      if (oldest) rank = {0, of.ages.begin()->first, of.ages.begin()->second};
      const std::tuple candidate{rank.score, rank.since, rank.key, *shares.at(rank.key).wants.at(id).begin()};
      if (!best || candidate < *best) best = candidate;
    }
    return best ? &wants.at(std::get<WantRank>(*best).key) : nullptr;
  }
};

Placement::Placement() : state_{std::make_unique<State>()} {}
Placement::~Placement() = default;
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;

// ---- the fleet --------------------------------------------------------------------------------------------------------

void Placement::put_node(Node node) {
  state_->remove_node(node.id);
  const auto id = node.id;
  auto& entry = state_->nodes[id];
  entry.node = std::move(node);
  for (auto& [number, of] : state_->classes) State::join(of, number, entry);
}

void Placement::remove_node(const WorkerId& id) { state_->remove_node(id); }

void Placement::set_state(const WorkerId& id, NodeState state) {
  const auto known = state_->nodes.find(id);
  if (known != state_->nodes.end()) state_->change_node(known->second, [&](Node& node) { node.state = state; });
}

void Placement::add_program(const WorkerId& id, const std::string& hash) {
  const auto known = state_->nodes.find(id);
  if (known != state_->nodes.end()) known->second.node.programs.insert(hash);
}

const Node* Placement::node(const WorkerId& id) const {
  const auto known = state_->nodes.find(id);
  return known == state_->nodes.end() ? nullptr : &known->second.node;
}

std::vector<const Node*> Placement::nodes() const {
  std::vector<const Node*> all;
  for (const auto& [id, entry] : state_->nodes) all.push_back(&entry.node);
  return all;
}

// ---- wants and tickets ------------------------------------------------------------------------------------------------

void Placement::put_want(Want want) {
  if (want.wanted == 0) return remove_want(want.key);
  auto& state = *state_;
  const auto known = state.wants.find(want.key);
  const bool moved = known == state.wants.end() || known->second.want.share != want.share || known->second.want.need != want.need;
  if (moved) {
    state.remove_want(want.key);
    const auto of = state.class_of(want.need);
    const auto& entry = state.wants.emplace(want.key, State::WantEntry{std::move(want), of, state.turn}).first->second;
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
  auto& node = State::best_node(state.classes.at(entry->of));
  state.change_node(node, [](Node& taken) { --taken.free; });
  const Placed placed{entry->want.key, node.node.id, node.node.incarnation, entry->want.wanted - 1};
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
  const auto known = state_->nodes.find(worker);
  if (known != state_->nodes.end()) state_->change_node(known->second, [](Node& node) { --node.free; });
}

bool Placement::give_back(ShareKey share, const WorkerId& worker, Incarnation incarnation) {
  if (const auto known = state_->shares.find(share); known != state_->shares.end() && known->second.held > 0) {
    state_->change_share(share, [](State::Share& holding) { --holding.held; });
  }
  const auto known = state_->nodes.find(worker);
  if (known == state_->nodes.end() || known->second.node.incarnation != incarnation) return false;
  state_->change_node(known->second, [](Node& node) { ++node.free; });
  return true;
}

// ---- questions --------------------------------------------------------------------------------------------------------

std::uint32_t Placement::room(const Need& need, const WorkerId& other_than) const {
  std::int64_t idle = 0;
  for (const auto& [id, entry] : state_->nodes) {
    if (id == other_than || !usable(entry.node) || !satisfies(*entry.node.offered, need)) continue;
    idle += std::max<std::int64_t>(entry.node.idle_slots(), 0);
  }
  return static_cast<std::uint32_t>(idle);
}

std::optional<Reason> Placement::explain(WantKey key) const {
  const auto known = state_->wants.find(key);
  return known == state_->wants.end() ? std::nullopt : engine::explain(known->second.want.need, nodes());
}

const Want* Placement::want(WantKey key) const {
  const auto known = state_->wants.find(key);
  return known == state_->wants.end() ? nullptr : &known->second.want;
}

bool Placement::unsatisfiable(WantKey key) const {
  const auto known = state_->wants.find(key);
  if (known == state_->wants.end()) return false;
  const auto& of = state_->classes.at(known->second.of);
  return std::ranges::none_of(of.nodes, [](const State::NodeEntry* entry) { return entry->node.state == NodeState::open; });
}

}  // namespace catena::engine
