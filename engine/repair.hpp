#pragma once
// What a person's retry has run again, and why: the same answer for whoever asks before, and for the retry itself.
#include <vector>

#include "engine/engine.hpp"

namespace catena::engine {

enum class RepairReason : std::uint8_t {
  failed,     // it failed, or items of it did
  cancelled,  // it was cut off, or never begun, when the chain ended
  asked,      // the retry names it
  behind,     // what it depends on runs again
  last,       // a final step, and others run again
};
struct StepRepair {
  StepIndex step = 0;
  RepairReason reason = RepairReason::failed;
  StepIndex behind = 0;  // the first that it depends on and that runs again, where that is the reason
  Reopened reopened;     // but for the deadline
};

/// By step. Steps that have not been settled are not in it: they run in their turn. A settled step behind one that runs again is evaluated
/// again, and keeps what it came to where its arguments are the same; one that was skipped is decided again. Where a retry names a step of a
/// sequence, or items of one, the chain goes on there, and with no other step of a sequence. O(steps + dependents).
[[nodiscard]] std::vector<StepRepair> plan_repair(const PreparedProgram& prepared, const ChainState& state, const Retry& retry);

/// How many items of the step run again, at most where results of the same arguments stay; 1 of a plain step.
[[nodiscard]] std::uint32_t items_to_run(const VisitState& visit, const Reopened& reopened);

}  // namespace catena::engine
