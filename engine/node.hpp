#pragma once
// What a step asks of a worker, what a worker offers, and why the one finds none of the other.
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
  /// Somebody holds a ticket of it.
  [[nodiscard]] bool lent() const { return free < static_cast<std::int64_t>(slots) * kOrdersPerSlot; }
};

/// Why a need finds no worker, with the nearest miss; nothing when one has room.
[[nodiscard]] std::optional<Reason> explain(const Need& need, const std::vector<const Node*>& fleet);

}  // namespace catena::engine
