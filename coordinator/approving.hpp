#pragma once
// Whether a step or items of it can be approved or rejected, and what that is for the engine.
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "coordinator/records.hpp"
#include "coordinator/substitution.hpp"

namespace catena::coordinator {

/// With the step by its number, and the arguments as they run: those that the step has with those that the answer sets, checked as when the step
/// was evaluated. Errors: usage, for a step or items that there are not; field_value and argument_*, for what cannot be set; chain_state, where
/// nothing waits; those of the store. An answer that has come before, by its key, is none.
[[nodiscard]] Result<engine::Approval> approval_of(const actors::Control& control, const SubstituteIn& in, Records& records);
/// Whether that would be an input, with the same errors. Nothing is written.
[[nodiscard]] Result<void> check_approval(const actors::Control& control, const SubstituteIn& in);
/// An answer for the step of this name with this key has come.
[[nodiscard]] bool knows_approval(const engine::ChainState& state, const lang::Program& program, const actors::Control& control);

/// The arguments of a task with the members of `edit` in place of its own.
[[nodiscard]] lang::JsonText edited(const lang::JsonText& arguments, const lang::JsonText& edit);

}  // namespace catena::coordinator
