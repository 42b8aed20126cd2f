#pragma once
// What a person's retry has run again, and why: the same answer for whoever asks before, and for the retry itself.
#include <optional>
#include <set>
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

/// Adds all that comes out otherwise when these steps do. O(steps + dependents).
void add_dependents(const PreparedProgram& prepared, std::set<StepIndex>& steps);

/// By step. Steps that have not been settled are not in it: they run in their turn. Of a chain that has not ended it has what has failed, or what the
/// retry names, also items of steps that run; see obstacle_of. A settled step behind one that runs again is evaluated
/// again, and keeps what it came to where its arguments are the same; one that was skipped is decided again. Where a retry names a step of a
/// sequence, or items of one, the chain goes on there, and with no other step of a sequence. O(steps + dependents).
[[nodiscard]] std::vector<StepRepair> plan_repair(const PreparedProgram& prepared, const ChainState& state, const Retry& retry);

/// Why a chain that has not ended cannot be repaired now.
enum class Obstacle : std::uint8_t {
  cancelling,       // it is being cancelled
  past_deadline,    // it fails by its deadline
  final_steps,      // they have begun, or are about to
  stops,            // it fails, and stops what runs
  failed_sequence,  // it fails, and a sequence does not go on but at its failure
  package,          // it is to take up other definitions
  nothing,          // there is nothing to run
  runs,             // the step that is named runs, or has not begun
  items_run,        // items that are named run or wait
  passed,           // the step that is named is one of a sequence, which has gone on behind it
  rounds,           // its rounds go on from one another
  shaping,          // its list is being shaped, or was to be
  out,              // attempts of it are still out, and are to stop
  behind,           // `behind` depends on it, and runs or is about to
};
struct Hindrance {
  Obstacle why = Obstacle::nothing;
  StepIndex step = 0;
  StepIndex behind = 0;
  IndexSet items = {};
};
/// Of a chain that runs or is paused: nothing where `plan`, which plan_repair made of the retry, can be done. A step is opened again whole or not at
/// all, only where nothing depends on it that runs, and only where no answer can be under way that its results would make wrong.
[[nodiscard]] std::optional<Hindrance> obstacle_of(const PreparedProgram& prepared, const ChainState& state, const Retry& retry,
                                                   const std::vector<StepRepair>& plan);

/// What has to be opened again in a chain that goes on before a person's response can stand; nothing: it waits, or runs.
[[nodiscard]] std::optional<Retry> opening_of(const ChainState& state, const Substitute& given);

/// How many items of the step run again, at most where results of the same arguments stay; 1 of a plain step.
[[nodiscard]] std::uint32_t items_to_run(const VisitState& visit, const Reopened& reopened);

}  // namespace catena::engine
