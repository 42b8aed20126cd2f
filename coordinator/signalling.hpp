#pragma once
// Whether a signal can be sent to a chain, and what it is for the engine.
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// With the data as steps see them: checked against all steps that wait for the name, defaults filled in. `package`: where nested definitions are
/// looked for that wait for the name in chains of their own. Errors: usage, for a name that no step waits for; field_value and argument_*, for data
/// that do not fit; chain_state, where too many are kept. One that has come before, by its key, is none.
[[nodiscard]] Result<engine::Signal> signal_of(const actors::Control& control, const lang::Package& package, const lang::Program& program,
                                               const engine::ChainState& state);

}  // namespace catena::coordinator
