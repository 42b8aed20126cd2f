#pragma once
// What a person's other terms come to for a chain: which step they are for, and whether they can be.
#include "actors/messages.hpp"
#include "base/result.hpp"

namespace catena::coordinator {

/// Errors: usage, for a step that there is not; field_value, for terms that cannot be, or that the step has no use for.
[[nodiscard]] Result<engine::Amend> amend_of(const actors::Control& control, const ChainId& chain, const lang::Program& program);

}  // namespace catena::coordinator
