#include "engine/fleet.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace catena::engine {
namespace {

constexpr std::size_t kPoolsIdle = 64;   // that nobody keeps, so that the next who has such a need finds it worked out
constexpr std::size_t kCandidates = 32;  // workers that are looked at for one that has the program

bool usable(const Node& node) { return node.state == NodeState::open && node.free > 0; }

std::int64_t usable_idle(const Node& node) { return usable(node) ? std::max<std::int64_t>(node.idle_slots(), 0) : 0; }

std::int64_t programs_at(const Node& node, const Need& need) {
  return std::ranges::count_if(need.programs, [&](const auto& hash) { return node.programs.contains(hash); });
}

void put_or_erase(std::set<std::uint64_t>& set, std::uint64_t what, bool is_in) {
  if (is_in)
    set.insert(what);
  else
    set.erase(what);
}

}  // namespace

bool Fleet::Rank::operator<(const Rank& other) const {
  if (idle != other.idle) return idle;
  if (free != other.free) return free > other.free;
  return entry->node.id < other.entry->node.id;
}

// ---- workers ----------------------------------------------------------------------------------------------------------

/// Whatever moves a worker in its pools happens in here.
template <class Change>
void Fleet::change(Entry& entry, const Change& change) {
  const auto& node = entry.node;
  const auto was = rank_of(entry);
  const bool was_usable = usable(node), was_open = node.state == NodeState::open;
  const auto was_idle = usable_idle(node);
  change(entry.node);
  const bool is_usable = usable(node), is_open = node.state == NodeState::open;
  for (const auto id : entry.pools) {
    auto& pool = pools_.at(id);
    if (is_open != was_open) is_open ? ++pool.open : --pool.open;
    pool.idle += usable_idle(node) - was_idle;
    if (was_usable && is_usable) {
      auto moved = pool.order.extract(was);
      moved.value() = rank_of(entry);
      pool.order.insert(std::move(moved));
      continue;
    }
    if (was_usable) pool.order.erase(was);
    if (is_usable) pool.order.insert(rank_of(entry));
    look_if_ready(pool, id);
  }
}

void Fleet::put_node(Node node) {
  remove_node(node.id);
  auto& entry = nodes_[node.id];
  entry.node = std::move(node);
  for (const auto& hash : entry.node.programs) holders_[hash].insert(&entry);
  for (auto& [id, pool] : pools_) join(pool, id, entry);
  ++changes_;
}

void Fleet::remove_node(const WorkerId& id) {
  const auto known = nodes_.find(id);
  if (known == nodes_.end()) return;
  auto& entry = known->second;
  change(entry, [](Node& leaving) { leaving.state = NodeState::draining; });  // it counts nowhere any more
  for (const auto& hash : entry.node.programs) {
    const auto held = holders_.find(hash);
    held->second.erase(&entry);
    if (held->second.empty()) holders_.erase(held);
  }
  nodes_.erase(known);
  ++changes_;
}

void Fleet::set_state(const WorkerId& id, NodeState state) {
  const auto known = nodes_.find(id);
  if (known == nodes_.end() || known->second.node.state == state) return;
  change(known->second, [&](Node& node) { node.state = state; });
  ++changes_;
}

void Fleet::add_program(const WorkerId& id, const std::string& hash) {
  const auto known = nodes_.find(id);
  if (known == nodes_.end()) return;
  known->second.node.programs.insert(hash);
  holders_[hash].insert(&known->second);
}

void Fleet::add_free(const WorkerId& id, std::int64_t tickets) {
  const auto known = nodes_.find(id);
  if (known != nodes_.end()) change(known->second, [&](Node& node) { node.free += tickets; });
}

const Node* Fleet::node(const WorkerId& id) const {
  const auto known = nodes_.find(id);
  return known == nodes_.end() ? nullptr : &known->second.node;
}

std::vector<const Node*> Fleet::nodes() const {
  std::vector<const Node*> all;
  all.reserve(nodes_.size());
  for (const auto& [id, entry] : nodes_) all.push_back(&entry.node);
  return all;
}

// ---- pools ------------------------------------------------------------------------------------------------------------

Fleet::PoolId Fleet::pool_of(const Need& need) {
  auto demand = need;
  demand.programs.clear();
  if (const auto known = by_need_.find(demand); known != by_need_.end()) return known->second;
  forget_unkept();
  const auto id = ++last_pool_;
  auto& made = pools_[id];
  made.need = demand;
  for (auto& [worker, entry] : nodes_) join(made, id, entry);
  by_need_.emplace(std::move(demand), id);
  return id;
}

void Fleet::join(Pool& to, PoolId id, Entry& entry) {
  ++looks_;
  if (!satisfies(*entry.node.offered, to.need)) return;
  entry.pools.push_back(id);
  if (entry.node.state == NodeState::open) ++to.open;
  to.idle += usable_idle(entry.node);
  if (usable(entry.node)) to.order.insert(rank_of(entry));
  look_if_ready(to, id);
}

void Fleet::forget_unkept() {
  if (pools_.size() < kept_.size() + kPoolsIdle) return;
  const auto unkept = [&](PoolId id) { return !kept_.contains(id); };
  for (auto& [worker, entry] : nodes_) std::erase_if(entry.pools, unkept);
  std::erase_if(by_need_, [&](const auto& row) { return unkept(row.second); });
  std::erase_if(pools_, [&](const auto& row) { return unkept(row.first); });
}

void Fleet::look_if_ready(const Pool& pool, PoolId id) { put_or_erase(ready_, id, !pool.order.empty() && wanted_.contains(id)); }

void Fleet::keep(PoolId id, bool kept) { put_or_erase(kept_, id, kept); }

void Fleet::want(PoolId id, bool wanted) {
  put_or_erase(wanted_, id, wanted);
  look_if_ready(pools_.at(id), id);
}

const Node& Fleet::best(PoolId id, const Need& need) const {
  const auto& pool = pools_.at(id);
  const auto* best = pool.order.begin()->entry;
  ++looks_;
  if (need.programs.empty()) return best->node;
  const auto rank = [&](const Node& node) { return std::tuple{node.idle_slots() > 0, programs_at(node, need), node.free}; };
  auto best_rank = rank(best->node);
  const auto consider = [&](const Entry* entry) {
    ++looks_;
    if (!usable(entry->node) || !std::ranges::binary_search(entry->pools, id)) return;
    const auto candidate = rank(entry->node);
    if (candidate < best_rank || (candidate == best_rank && best->node.id <= entry->node.id)) return;
    best = entry;
    best_rank = candidate;
  };
  for (const auto& hash : need.programs) {
    const auto held = holders_.find(hash);
    if (held == holders_.end()) continue;
    if (held->second.size() <= kCandidates) {
      std::ranges::for_each(held->second, consider);
    } else {
      std::size_t looked = 0;
      for (auto one = pool.order.begin(); one != pool.order.end() && looked < kCandidates; ++one, ++looked) consider(one->entry);
    }
  }
  return best->node;
}

std::int64_t Fleet::idle(PoolId id, const WorkerId& other_than) const {
  const auto all = pools_.at(id).idle;
  if (all == 0) return 0;
  const auto known = nodes_.find(other_than);
  if (known == nodes_.end() || !std::ranges::binary_search(known->second.pools, id)) return all;
  return all - usable_idle(known->second.node);
}

std::shared_ptr<const Reason> Fleet::why(PoolId id) {
  auto& pool = pools_.at(id);
  if (std::exchange(pool.explained, changes_) == changes_) return pool.why;
  std::optional<Reason> why;
  if (pool.open == 0) {
    looks_ += nodes_.size();
    why = explain(pool.need, nodes());
  }
  if (!why)
    pool.why = nullptr;
  else if (!pool.why || *pool.why != *why)
    pool.why = std::make_shared<const Reason>(std::move(*why));
  return pool.why;
}

}  // namespace catena::engine
