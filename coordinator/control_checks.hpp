#pragma once
// Whether what a person asks of a chain can be done, before anything is.
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "coordinator/substitution.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Whether an order fits the state that a chain is in. Error: chain_state.
[[nodiscard]] Result<void> check_control(const engine::ChainState& state, const actors::Control& control);
/// What can be said of an order only with the chain's definition at hand.
[[nodiscard]] bool needs_definition(const actors::Control& control);
/// Whether one that fits can be carried out, as far as the chain's definition and records tell. Errors: those of substitute_of, amend_of and
/// signal_of.
[[nodiscard]] Result<void> check_in_detail(const actors::Control& control, const lang::Package& package, const SubstituteIn& in);

}  // namespace catena::coordinator
