#pragma once
// Whether what a person asks of a chain can be done, before anything is.
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "coordinator/chosen_items.hpp"
#include "coordinator/substitution.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Whether an order fits the state that a chain is in. Error: chain_state.
[[nodiscard]] Result<void> check_control(const engine::ChainState& state, const actors::Control& control);
/// From its deadline on a chain takes no order: what would be answered as accepted would never be recorded. It may still be cancelled, and keeps
/// signals. Error: chain_state.
[[nodiscard]] Result<void> check_in_time(const engine::ChainState& state, const actors::Control& control, UnixMillis at);
/// What can be said of an order only with the chain's definition at hand.
[[nodiscard]] bool needs_definition(const actors::Control& control);
/// Whether one that fits can be carried out, as far as the chain's definition and records tell. Errors: those of substitute_of, amend_of,
/// signal_of, approval_of, retry_of and check_in_time.
[[nodiscard]] Result<void> check_in_detail(const actors::Control& control, const lang::Package& package, const SubstituteIn& in);
/// What a person's wish comes to, with the items that it chooses. Errors: those of add_chosen and repair_of.
[[nodiscard]] Result<engine::Retry> retry_of(const actors::Control& control, const ChooseFrom& from);

}  // namespace catena::coordinator
