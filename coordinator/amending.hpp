#pragma once
// What a person's other terms come to for a chain: which step they are for, and whether they can be.
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "engine/state.hpp"

namespace catena::coordinator {

/// Errors: usage, for a step that there is not; field_value, for terms that cannot be, or that the step has no use for; chain_state, for a deadline
/// that the chain cannot have. Each is of the member of what was asked that is wrong.
[[nodiscard]] Result<engine::Amend> amend_of(const actors::Control& control, const ChainId& chain, const lang::Program& program,
                                             const engine::ChainState& state);

}  // namespace catena::coordinator
