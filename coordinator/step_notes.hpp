#pragma once
// What a step actor does with what attempts say of themselves: on to the chain, and from the store to the next attempt.
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/step_actor.hpp"

namespace catena::coordinator {

/// From where an attempt of the item goes on, as JSON; empty: from its beginning.
[[nodiscard]] Result<std::string> resume_point(const StepContext& context, const actors::RunGrant& run, ItemIndex item);
/// Of attempts that nobody has reported yet, by grant.
[[nodiscard]] std::vector<actors::StepNotes> notes_of(const StepState& state, actors::AttemptNotes& said);
/// What an attempt said that has ended, out of its result.
void take_note(actors::AttemptResult& result, std::vector<actors::AttemptNote>& notes);

}  // namespace catena::coordinator
