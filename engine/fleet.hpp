#pragma once
// The workers there are, by what they satisfy: which of them is the best for a need, and how many slots are idle. The part of engine/placement
// that does not know who wants what.
//
// Workers stand in an order in every pool, a pool for each need that somebody has or had lately. A ticket moves its worker in the pools that the
// worker is in, which takes the logarithm of their size each; no other worker is looked at.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "engine/node.hpp"
#include "engine/reason.hpp"

namespace catena::engine {

class Fleet {
 public:
  using PoolId = std::uint64_t;

  Fleet() = default;
  ~Fleet() = default;
  Fleet(const Fleet&) = delete;  // pools point at workers
  Fleet& operator=(const Fleet&) = delete;

  // ---- workers
  /// A worker of that name replaces the one before.
  void put_node(Node node);
  void remove_node(const WorkerId& id);
  void set_state(const WorkerId& id, NodeState state);
  void add_program(const WorkerId& id, const std::string& hash);
  /// So many tickets more, or less, are free there.
  void add_free(const WorkerId& id, std::int64_t tickets);
  /// Null when there is none. Valid until the next call that changes something.
  [[nodiscard]] const Node* node(const WorkerId& id) const;
  [[nodiscard]] std::vector<const Node*> nodes() const;

  // ---- pools
  /// Of the workers that satisfy a need. Needs that differ only in their programs have the same. Others that nobody keeps may be forgotten by it.
  [[nodiscard]] PoolId pool_of(const Need& need);
  /// Somebody has use for the pool: it is there until nobody has.
  void keep(PoolId id, bool kept);
  /// Somebody wants a ticket of it.
  void want(PoolId id, bool wanted);
  /// Those of which a ticket is wanted and can be had.
  [[nodiscard]] const std::set<PoolId>& ready() const { return ready_; }
  [[nodiscard]] const std::set<PoolId>& wanted() const { return wanted_; }
  /// The worker for the next ticket; there is one that can take an order.
  [[nodiscard]] const Node& best(PoolId id, const Need& need) const;
  /// Idle slots of workers that can take an order, at others than this.
  [[nodiscard]] std::int64_t idle(PoolId id, const WorkerId& other_than) const;
  [[nodiscard]] bool any_idle(PoolId id) const { return pools_.at(id).idle > 0; }
  /// One of its workers takes new work, now or later.
  [[nodiscard]] bool open(PoolId id) const { return pools_.at(id).open > 0; }
  /// Why none does; null: one does. Worked out once after each change of the fleet.
  [[nodiscard]] std::shared_ptr<const Reason> why(PoolId id);
  /// Goes up with each change of who there is and takes new work.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Workers that were looked at so far, one by one.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  struct Entry {
    Node node;
    std::vector<PoolId> pools;  // that it is in, in order
  };
  /// Who has an idle slot first, then who has the most room.
  struct Rank {
    bool idle = false;
    std::int64_t free = 0;
    const Entry* entry = nullptr;
    bool operator<(const Rank& other) const;
  };
  struct Pool {
    Need need;             // without programs
    std::set<Rank> order;  // of the workers that can take an order now
    std::uint32_t open = 0;
    std::int64_t idle = 0;
    std::uint64_t explained = 0;  // the number of the change of the fleet after which `why` was worked out
    std::shared_ptr<const Reason> why;
  };
  static Rank rank_of(const Entry& entry) { return {entry.node.idle_slots() > 0, entry.node.free, &entry}; }
  void join(Pool& to, PoolId id, Entry& entry);
  void look_if_ready(const Pool& pool, PoolId id);
  void forget_unkept();
  template <class Change>
  void change(Entry& entry, const Change& change);

  std::map<WorkerId, Entry> nodes_;
  std::map<std::string, std::set<const Entry*>, std::less<>> holders_;  // of programs
  std::map<PoolId, Pool> pools_;
  std::map<Need, PoolId> by_need_;
  std::set<PoolId> kept_;
  std::set<PoolId> wanted_;
  std::set<PoolId> ready_;
  PoolId last_pool_ = 0;
  std::uint64_t changes_ = 1;
  mutable std::uint64_t looks_ = 0;
};

}  // namespace catena::engine
