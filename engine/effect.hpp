#pragma once
// What a chain owes the outside. An effect is released only when the events before it are durable; outstanding() finds all of
// them again in a recovered state.
#include <compare>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/phase.hpp"

namespace catena::engine {

/// The gate of this visit is open: evaluate its condition and arguments.
struct Evaluate {
  VisitId visit;
  friend auto operator<=>(const Evaluate&, const Evaluate&) = default;
};
/// All that a fan-out waits for has settled: evaluate its transform_responses, once, on the list.
struct Shape {
  VisitId visit;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};
/// Everything settled: evaluate the chain's response.
struct EvaluateOutputs {
  friend auto operator<=>(const EvaluateOutputs&, const EvaluateOutputs&) = default;
};
/// The visit has items that a worker may take: make offers for as long as that is so.
struct Demand {
  VisitId visit;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};
/// Hand this grant to its worker.
struct Run {
  GrantId grant = 0;
  friend auto operator<=>(const Run&, const Run&) = default;
};
/// Tell the worker to stop what is left of this grant; `now`: child chains are not to run their final steps.
struct Stop {
  GrantId grant = 0;
  bool now = false;
  friend auto operator<=>(const Stop&, const Stop&) = default;
};
/// Send TimerDue at this time.
struct Wake {
  UnixMillis due = 0;
  friend auto operator<=>(const Wake&, const Wake&) = default;
};
/// Tell everybody who waits that the chain has ended.
struct Announce {
  ChainStatus status = ChainStatus::succeeded;
  friend auto operator<=>(const Announce&, const Announce&) = default;
};

/// Tell the child chains that live, and those that begin from now on, whether this chain is paused. The last one holds.
struct HoldChildren {
  bool held = false;
  friend auto operator<=>(const HoldChildren&, const HoldChildren&) = default;
};

/// The signal that this visit waits for is kept: evaluate its data as the step's response.
struct UseSignal {
  VisitId visit;
  std::uint64_t number = 0;
  friend auto operator<=>(const UseSignal&, const UseSignal&) = default;
};

using Effect = std::variant<Evaluate, Shape, EvaluateOutputs, Demand, Run, Stop, Wake, Announce, HoldChildren, UseSignal>;
/// Sorted, unique.
using Effects = std::vector<Effect>;

}  // namespace catena::engine
