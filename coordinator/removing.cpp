#include "coordinator/removing.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <utility>

#include "coordinator/families.hpp"
#include "coordinator/forking.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/submission_checks.hpp"
#include "storage/chain_removal.hpp"

namespace catena::coordinator {
namespace {

template <class Chains>
bool has_below(const Chains& chains, const ChainId& chain) {
  const ChainId below{chain.value + "/"};
  const auto first = chains.lower_bound(below);
  return first != chains.end() && first->first.value.starts_with(below.value);
}

Result<void> refuse_removal(const ChainId& chain, std::string_view why) {
  return fail(Code::chain_state, fmt::format("chain '{}' {}", chain.value, why));
}

/// One that was set aside may have left descendants that had not ended; they can be cancelled.
Result<void> check_family_ended(const storage::Kv& kv, const ChainId& chain) {
  std::string living;
  const auto listed = storage::list_family(kv, chain, {}, [&](const storage::ChainSummary& summary) {
    const auto status = engine::chain_status_named(summary.status);
    if (!status || !engine::terminal(*status)) living = summary.id.value;
    return living.empty();
  });
  if (!listed) return listed;
  if (living.empty()) return {};
  return refuse_removal(chain, fmt::format("was set aside, and '{}' below it has not ended; `catena cancel {}` ends both, then it can be removed",
                                           living, chain.value));
}

Result<void> check_removable(const SupervisorState& state, const ChainId& chain, UnixMillis ended_before) {
  if (auto free = check_not_removed(state, chain); !free) return free;
  if (state.forks.contains(chain)) return refuse_removal(chain, "is just beginning, as a fork of another; try again in a moment");
  const auto& kv = *state.services->kv;
  const auto summary = storage::load_summary(kv, chain);
  if (!summary) return fail(summary.error());
  if (!*summary) return fail(Code::chain_not_found, fmt::format("no chain is called '{}'; `catena list` shows those there are", chain.value));
  if (!(*summary)->parent.empty()) {
    const auto top = family_of(chain);
    return refuse_removal(chain, fmt::format("belongs to chain '{0}', whose record refers to it; `catena rm {0}` removes both", top.value));
  }
  if (is_being_forked(state, chain)) return refuse_removal(chain, "is being forked; try again in a moment");
  if (state.sweep->is_writing(chain) || has_below(state.running, chain) || has_below(state.deferred, chain)) return fail(just_ending(chain));
  const auto status = engine::chain_status_named((*summary)->status);
  const bool ended = status && engine::terminal(*status) && !state.running.contains(chain);
  if (status == engine::ChainStatus::quarantined && !state.running.contains(chain)) return check_family_ended(kv, chain);
  if (!ended) {
    return refuse_removal(
        chain, fmt::format("has not ended (it is {}); `catena cancel {}` ends it, then it can be removed", (*summary)->status, chain.value));
  }
  if (ended_before != 0 && (*summary)->finished_at >= ended_before) return refuse_removal(chain, "ended later than those that are to be removed");
  return {};
}

actors::ChainsRemoved checked_removals(const SupervisorState& state, const actors::RemoveChains& remove) {
  actors::ChainsRemoved checked;
  for (const auto& chain : remove.chains) {
    if (auto may = check_removable(state, chain, remove.ended_before); may) {
      checked.removed.push_back(chain);
    } else {
      checked.refused.push_back({chain, std::move(may).error()});
    }
  }
  return checked;
}

}  // namespace

Result<void> check_not_removed(const SupervisorState& state, const ChainId& chain) {
  const auto top = family_of(chain);
  const auto going = [&] { return fail(Code::chain_state, fmt::format("chain '{}' is being removed; try again in a moment", top.value)); };
  if (state.removing.contains(top)) return going();
  // Left by an earlier process, and not yet gone.
  const auto marked = storage::is_being_removed(*state.services->kv, top);
  if (!marked) return fail(marked.error());
  if (*marked) return going();
  return {};
}

void remove_chains(SupervisorSelf self, const actors::RemoveChains& remove) {
  auto& state = self->state;
  if (remove.only_check) return self->send(sender_of(*self), checked_removals(state, remove));
  actors::CarryOutRemovals order;
  order.durability = remove.durability;
  order.asker = sender_of(*self);
  for (const auto& chain : remove.chains) {
    if (auto may = check_removable(state, chain, remove.ended_before); !may) {
      order.refused.push_back({chain, std::move(may).error()});
      continue;
    }
    state.deferred.erase(chain);
    state.removing.insert(chain);
    order.chains.push_back(chain);
  }
  self->send(state.services->housekeeper, std::move(order));
}

}  // namespace catena::coordinator
