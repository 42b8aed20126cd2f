#pragma once
// A fork: a chain that begins with what another one had come to, at an event of its journal, or with one of its steps opened again. Pure.
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "engine/repair.hpp"

namespace catena::engine {

/// A journal may be shared up to `last` and not with `next`, which stands behind it: no decision is cut in two. The end of a record of events is such
/// a place anyway.
[[nodiscard]] bool parts(const Event& last, const Event& next);

/// What is to be run in a fork that goes back to a step: by step, as of a person's retry of a chain that has ended. `cut`: steps that run in the
/// source and that the plan opens again, or leaves, in place of letting them go on.
struct ForkPlan {
  std::vector<StepRepair> steps;
  IndexSet cut;
};
[[nodiscard]] ForkPlan plan_fork(const PreparedProgram& prepared, const ChainState& state, StepIndex step);

/// Why a chain cannot be forked as it stands.
enum class ForkObstacle : std::uint8_t {
  pending,      // it has not begun
  quarantined,  // it was set aside
  ended,        // nothing is left to run, and no step is named
  cancelling,   // the same: it only ends
  failing,      // the same
  not_begun,    // the step that is named has not run
};
[[nodiscard]] std::optional<ForkObstacle> obstacle_of_fork(const ChainState& state, std::optional<StepIndex> step);

/// What the event makes of the state but for the steps that it opens again: evolve does those.
void begin_fork(ChainState& state, const ChainForked& event);
/// What a person has approved for the source is approved for the source: what is left to run of it waits for an answer of its own.
void ask_again(ChainState& state);

}  // namespace catena::engine
