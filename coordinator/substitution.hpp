#pragma once
// What a person gives a step, or items of one, in place of running them.
#include "actors/messages.hpp"
#include "coordinator/records.hpp"
#include "coordinator/values.hpp"
#include "engine/engine.hpp"

namespace catena::coordinator {

/// The chain that a control is for; all of it outlives the call.
struct SubstituteIn {
  const ChainId& chain;
  const engine::PreparedProgram& prepared;
  const engine::ChainState& state;
  Sources sources;
};

/// The engine's input, with the response where the journal may carry it. Errors: usage (no such step or items), chain_state (it has not begun, runs
/// at the moment or has a response), those of a response that does not fit its step, and of the store.
[[nodiscard]] Result<engine::Substitute> substitute_of(const actors::Control& control, const SubstituteIn& in, Records& records);
/// Whether that would be an input, with the same errors. Nothing is written.
[[nodiscard]] Result<void> check_substitute(const actors::Control& control, const SubstituteIn& in);

}  // namespace catena::coordinator
