#pragma once
// Which want gets the next ticket, and at which worker. Pure: no clock, no actor; the same calls give the same answers. A ticket is room
// for one order: each slot of a worker has one to run and one to wait.
//
// Who comes first: the chain that would hold the least for its weight (2^priority); of those that are even, the one served longest ago.
// Every sixteenth ticket goes to who has waited longest whatever its weight, so that nobody starves. Within a chain the visit on the
// longest way to the end. Where: at a worker with an idle slot before one where the order would wait, of those at one that has the program
// already, of those at the one with the most room.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "engine/reason.hpp"
#include "lang/program/program.hpp"

namespace catena::engine {

/// What a step asks of the worker that runs it.
struct Need {
  std::string kind;                   // of its endpoint
  std::string target;                 // the capability of remote:; of other kinds it changes nothing
  std::vector<std::string> labels;    // all of them: "k=v", or a word that is a label, the key of one, or a capability
  std::vector<std::string> programs;  // hashes; a worker that has them is preferred
  friend auto operator<=>(const Need&, const Need&) = default;
};
/// Of a step that calls a tool; a composite asks for nothing. `content`: hash of the program that the package pins for it, if any.
[[nodiscard]] Need need_of(const lang::Step& step, const std::string& content = {});

/// What a worker has to offer.
struct Offered {
  std::vector<std::string> kinds;  // "*": any
  std::vector<std::string> capabilities;
  std::vector<std::string> labels;  // "*": every need
};
/// Programs aside: those can be fetched.
[[nodiscard]] bool satisfies(const Offered& offered, const Need& need);

enum class NodeState : std::uint8_t { open, cordoned, draining };
[[nodiscard]] std::string_view name(NodeState state);

inline constexpr std::uint32_t kOrdersPerSlot = 2;

struct Node {
  WorkerId id;
  Incarnation incarnation = 0;
  std::shared_ptr<const Offered> offered = std::make_shared<const Offered>();
  std::uint32_t slots = 0;
  std::int64_t free = 0;  // tickets; below 0: more is claimed than there is room for
  NodeState state = NodeState::open;
  std::set<std::string> programs = {};  // hashes of those it has
  [[nodiscard]] std::int64_t idle_slots() const { return free - static_cast<std::int64_t>(slots) * (kOrdersPerSlot - 1); }
};

/// Why a need finds no worker, with the nearest miss; nothing when one has room.
[[nodiscard]] std::optional<Reason> explain(const Need& need, const std::vector<const Node*>& fleet);

/// A priority doubles a chain's share. Beyond these it counts as the bound.
inline constexpr std::int32_t kPriorityMax = 10;
[[nodiscard]] std::uint64_t weight_of(std::int32_t priority);

using WantKey = std::uint64_t;
using ShareKey = std::uint64_t;  // who shares: a submitted chain with all its children

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

  /// Idle slots that could serve a need, at other workers than this.
  [[nodiscard]] std::uint32_t room(const Need& need, const WorkerId& other_than) const;
  /// Why the want gets nothing; nothing when it will.
  [[nodiscard]] std::optional<Reason> explain(WantKey key) const;
  /// Null when there is none. Valid until the next call that changes something.
  [[nodiscard]] const Want* want(WantKey key) const;
  /// No worker that takes new work could take it, now or later.
  [[nodiscard]] bool unsatisfiable(WantKey key) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace catena::engine
