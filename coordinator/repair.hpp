#pragma once
// From what a person wants to have run again to what the engine is told, and to what is said of it beforehand. Pure.
#include <string>
#include <vector>

#include "actors/repair_wish.hpp"
#include "coordinator/inspect/repair_questions.hpp"
#include "engine/engine.hpp"
#include "engine/repair.hpp"
#include "lang/package/changes.hpp"

namespace catena::coordinator {

/// A chain that has ended, runs or is paused, with the package that it has and the one that it is to go on with: the same, or that of today.
struct RepairOf {
  const ChainId& chain;
  const engine::ChainState& state;
  const lang::Package& had;
  const lang::Package& now;
};

/// Errors: chain_state (it cannot be repaired now; definitions that do not fit its records), usage (a step or items that there are not).
[[nodiscard]] Result<engine::Retry> repair_of(const actors::RepairWish& wish, const RepairOf& of);

[[nodiscard]] RepairCause cause_of(engine::RepairReason reason);

/// In words, what is in the way of repairing a chain that goes on.
[[nodiscard]] Error refusal_of(const engine::Hindrance& hindrance, const ChainId& chain, const lang::Program& program);

/// What the retry will do, step by step, and why.
[[nodiscard]] Result<RepairPreview> preview_repair(const actors::RepairWish& wish, const RepairOf& of);

}  // namespace catena::coordinator
