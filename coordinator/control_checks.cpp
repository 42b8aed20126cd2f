#include "coordinator/control_checks.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <variant>

#include "base/iso8601.hpp"
#include "base/overloads.hpp"
#include "coordinator/amending.hpp"
#include "coordinator/approving.hpp"
#include "coordinator/repair.hpp"
#include "coordinator/signalling.hpp"

namespace catena::coordinator {

bool needs_definition(const actors::Control& control) {
  return std::visit(
      [](const auto& what) {
        return OneOf<std::remove_cvref_t<decltype(what)>, engine::Substitute, engine::Amend, engine::Signal, engine::Approval>;
      },
      control.what);
}

Result<void> check_in_time(const engine::ChainState& state, const actors::Control& control, UnixMillis at) {
  if (std::holds_alternative<engine::Cancel>(control.what) || std::holds_alternative<engine::Signal>(control.what)) return {};
  const auto deadline = engine::awaited_deadline(state);
  if (deadline == 0 || at < deadline) return {};
  return fail(Code::chain_state, fmt::format("chain '{}' has passed its deadline, {}, and is being stopped", control.chain.value, iso8601(deadline)));
}

Result<void> check_in_detail(const actors::Control& control, const lang::Package& package, const SubstituteIn& in) {
  if (auto in_time = check_in_time(in.state, control, in.sources.now); !in_time) return in_time;
  if (std::holds_alternative<engine::Signal>(control.what))
    return signal_of(control, package, *in.prepared.program, in.state).map([](const auto&) {});
  if (std::holds_alternative<engine::Approval>(control.what)) return check_approval(control, in);
  if (std::holds_alternative<engine::Retry>(control.what))
    return retry_of(control, {in.chain, in.state, package, in.sources.kv, in.sources.now}).map([](const auto&) {});
  if (std::holds_alternative<engine::Substitute>(control.what)) return check_substitute(control, in);
  if (std::holds_alternative<engine::Amend>(control.what)) return amend_of(control, in.chain, *in.prepared.program, in.state).map([](const auto&) {});
  return {};
}

Result<engine::Retry> retry_of(const actors::Control& control, const ChooseFrom& from) {
  auto wish = control.wish;
  if (auto added = add_chosen(wish, from); !added) return fail(std::move(added).error());
  auto retry = repair_of(wish, {from.chain, from.state, from.had, control.package ? *control.package : from.had});
  if (!retry) return retry;
  retry->by = std::get<engine::Retry>(control.what).by;
  retry->reason = control.reason;
  return retry;
}

Result<void> check_control(const engine::ChainState& state, const actors::Control& control) {
  const auto status = state.status;
  const auto refuse = [&](std::string_view what) -> Result<void> {
    return fail(Code::chain_state, fmt::format("chain '{}' is {}: {}", control.chain.value, engine::name(status), what));
  };
  const bool may_go_on = status == engine::ChainStatus::failed || status == engine::ChainStatus::cancelled;
  if (std::holds_alternative<engine::Retry>(control.what))
    return may_go_on || engine::is_under_way(status) ? Result<void>{} : refuse("it cannot be retried");
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
