#pragma once
// Effects of the parts of a state. outstanding() is their union over everything; decide() compares them around each event.
#include "engine/engine.hpp"

namespace catena::engine {

/// The chain ends, and the step begins nothing more: a final one only where even those are not to run.
[[nodiscard]] bool is_cut_off(const PreparedProgram& prepared, const ChainState& state, StepIndex step);
/// No item of the step is started while this holds.
[[nodiscard]] bool halted(const PreparedProgram& prepared, const ChainState& state, StepIndex step);
/// Final steps are left that run before the chain can end.
[[nodiscard]] bool owes_final_steps(const lang::Program& program, const ChainState& state);
/// The step may be entered now: its gate is open and its latest visit is over.
[[nodiscard]] bool gate_open(const PreparedProgram& prepared, const ChainState& state, StepIndex step);
/// Nothing runs and nothing is left to enter: the chain's outputs can be evaluated.
[[nodiscard]] bool all_done(const PreparedProgram& prepared, const ChainState& state);
/// The chain's response is to be evaluated: all is done, or nothing more will be and the program answers that too.
[[nodiscard]] bool owes_outputs(const PreparedProgram& prepared, const ChainState& state);
/// What is left of this grant should stop.
[[nodiscard]] bool stopping(const PreparedProgram& prepared, const ChainState& state, const Grant& grant);

void step_effects(const PreparedProgram& prepared, const ChainState& state, StepIndex step, Effects& out);
void grant_effects(const PreparedProgram& prepared, const ChainState& state, GrantId grant, Effects& out);
void chain_effects(const PreparedProgram& prepared, const ChainState& state, Effects& out);

}  // namespace catena::engine
