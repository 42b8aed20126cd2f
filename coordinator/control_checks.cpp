#include "coordinator/control_checks.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <variant>

#include "base/overloads.hpp"
#include "coordinator/amending.hpp"
#include "coordinator/signalling.hpp"

namespace catena::coordinator {

bool needs_definition(const actors::Control& control) {
  return std::visit([](const auto& what) { return OneOf<std::remove_cvref_t<decltype(what)>, engine::Substitute, engine::Amend, engine::Signal>; },
                    control.what);
}

Result<void> check_in_detail(const actors::Control& control, const lang::Package& package, const SubstituteIn& in) {
  if (std::holds_alternative<engine::Signal>(control.what))
    return signal_of(control, package, *in.prepared.program, in.state).map([](const auto&) {});
  if (std::holds_alternative<engine::Substitute>(control.what)) return check_substitute(control, in);
  if (std::holds_alternative<engine::Amend>(control.what)) return amend_of(control, in.chain, *in.prepared.program).map([](const auto&) {});
  return {};
}

Result<void> check_control(const engine::ChainState& state, const actors::Control& control) {
  const auto status = state.status;
  const auto refuse = [&](std::string_view what) -> Result<void> {
    return fail(Code::chain_state, fmt::format("chain '{}' is {}: {}", control.chain.value, engine::name(status), what));
  };
  const bool may_go_on = status == engine::ChainStatus::failed || status == engine::ChainStatus::cancelled;
  if (std::holds_alternative<engine::Retry>(control.what))
    return may_go_on ? Result<void>{} : refuse("only a failed or cancelled chain can be retried");
  if (may_go_on && std::holds_alternative<engine::Substitute>(control.what)) return {};
  if (engine::terminal(status) || status == engine::ChainStatus::quarantined)
    return refuse(std::holds_alternative<engine::Signal>(control.what) ? "it has ended, and takes no signals" : "it has ended");
  if (std::holds_alternative<engine::Pause>(control.what) && state.cancelling) return refuse("it is being cancelled, and cannot be paused any more");
  const bool let_go = std::holds_alternative<engine::Unpause>(control.what);
  if (let_go && !std::get<engine::Unpause>(control.what).above && state.paused_above && !state.paused_own)
    return refuse(fmt::format("it is paused with chain '{0}', which started it; `catena unpause {0}` lets both go on", state.parent.value));
  return {};
}

}  // namespace catena::coordinator
