#pragma once
// Which want gets the next ticket, and at which worker. Pure: no clock, no actor; the same calls give the same answers. A ticket is room
// for one order: each slot of a worker has one to run and one to wait.
//
// Who comes first: the chain that would hold the least for its weight (2^priority); of those that are even, the one served longest ago.
// Every sixteenth ticket goes to who has waited longest whatever its weight, so that nobody starves. Within a chain the visit on the
// longest way to the end. Where: at a worker with an idle slot before one where the order would wait, of those at one that has the program
// already, of those at the one with the most room. Of a program that many workers have, only those with the most room are looked at.
//
// What a ticket costs grows with the logarithm of the workers and of the wants, and with how many different needs a worker satisfies.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "engine/node.hpp"
#include "engine/reason.hpp"

namespace catena::engine {

/// A priority doubles a chain's share. Beyond these it counts as the bound.
inline constexpr std::int32_t kPriorityMax = 10;
[[nodiscard]] std::uint64_t weight_of(std::int32_t priority);

using WantKey = std::uint64_t;
using ShareKey = std::uint64_t;  // who shares: a submitted chain with all its children
using AskKey = std::uint64_t;

struct Want {
  WantKey key = 0;
  ShareKey share = 0;
  std::int32_t priority = 0;  // the newest of a share counts for all of it
  std::uint32_t urgency = 1;
  Need need;
  std::uint32_t wanted = 0;  // tickets; 0: none any more
};

struct Placed {
  WantKey want = 0;
  WorkerId worker;
  Incarnation incarnation = 0;
  std::uint32_t left = 0;  // tickets that the want is still to get; 0: it is not there any more
};

/// A want of which something else holds than what was said before.
struct PlacementNews {
  WantKey want = 0;
  std::shared_ptr<const Reason> why;  // no worker that takes new work could take it, now or later; null: one could
};

/// Idle slots that nobody else has a use for, for who asked.
struct RoomFound {
  AskKey ask = 0;
  std::uint32_t slots = 0;
};

class Placement {
 public:
  Placement();
  ~Placement();
  Placement(Placement&&) noexcept;
  Placement& operator=(Placement&&) noexcept;

  /// A worker of that name replaces the one before.
  void put_node(Node node);
  void remove_node(const WorkerId& id);
  void set_state(const WorkerId& id, NodeState state);
  void add_program(const WorkerId& id, const std::string& hash);
  /// Null when there is none. Valid until the next call that changes something.
  [[nodiscard]] const Node* node(const WorkerId& id) const;
  [[nodiscard]] std::vector<const Node*> nodes() const;

  /// A want of a known key takes the place of the one before.
  void put_want(Want want);
  void remove_want(WantKey key);

  /// The next ticket, if any can be given: its node has less room, its share holds more, its want is one less.
  [[nodiscard]] std::optional<Placed> next();
  /// A ticket that is held without having been asked for.
  void claim(ShareKey share, const WorkerId& worker);
  /// A ticket comes back. False when the node is another by now; the share holds less all the same.
  bool give_back(ShareKey share, const WorkerId& worker, Incarnation incarnation);

  /// Somebody waits for idle slots that could serve a need, at other workers than this. One of a known key takes the place of the one before.
  void ask_room(AskKey key, const Need& need, const WorkerId& other_than);
  void withdraw_ask(AskKey key);
  /// The next who asked and for whom there are some, if any: it asks no more. Slots are not kept for it.
  [[nodiscard]] std::optional<RoomFound> next_room();

  /// What is to be said of wants since the last call: of those that no worker can take, and of those of which that was said and one can.
  [[nodiscard]] std::vector<PlacementNews> news();
  /// Why the want gets nothing; nothing when it will.
  [[nodiscard]] std::optional<Reason> explain(WantKey key) const;
  /// Null when there is none. Valid until the next call that changes something.
  [[nodiscard]] const Want* want(WantKey key) const;
  /// No worker that takes new work could take it, now or later.
  [[nodiscard]] bool unsatisfiable(WantKey key) const;
  /// How many workers and needs were looked at so far to give tickets and to say what is news: what both cost, but for logarithms.
  [[nodiscard]] std::uint64_t looks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace catena::engine
