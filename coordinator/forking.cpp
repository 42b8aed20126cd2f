#include "coordinator/forking.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

#include "coordinator/fork_copier.hpp"
#include "coordinator/removing.hpp"
#include "coordinator/spawning.hpp"
#include "coordinator/submission_checks.hpp"

namespace catena::coordinator {
namespace {

Result<void> check_fork(SupervisorState& state, const actors::ForkChain& fork) {
  if (auto valid = check_new_chain_id(fork.chain, false); !valid) return valid;
  if (state.running.contains(fork.chain) || state.forks.contains(fork.chain)) return fail(chain_exists(fork.chain));
  for (const auto& chain : {fork.chain, fork.source}) {
    if (state.sweep->is_writing(chain)) return fail(just_ending(chain));
    if (auto free = check_not_removed(state, chain); !free) return free;
  }
  const auto summary = storage::load_summary(*state.services->kv, fork.chain);
  if (!summary) return fail(summary.error());
  if (*summary) return fail(chain_exists(fork.chain));
  if (state.memory.closed()) return fail(state.memory.refusal());
  return {};
}

}  // namespace

bool is_being_forked(const SupervisorState& state, const ChainId& chain) {
  return std::ranges::any_of(state.forks, [&](const auto& fork) { return fork.second.fork.source == chain; });
}

void fork_chain(SupervisorSelf self, const actors::ForkChain& fork, const caf::actor& asker) {
  auto& state = self->state;
  if (auto right = check_fork(state, fork); !right) return self->send(asker, actors::Refused{fork.chain, std::move(right).error()});
  const auto copier = self->spawn<caf::monitored>(fork_copier, state.services, fork, asker);
  if (!fork.only_check) state.forks.emplace(fork.chain, SupervisorState::Forking{fork, asker, copier.address()});
}

void begin_fork(SupervisorSelf self, const actors::ForkCopied& copied) {
  auto& state = self->state;
  const auto fork = state.forks.find(copied.chain);
  if (fork == state.forks.end()) return;
  fork->second.copier = nullptr;
  const auto& base = *copied.base;
  ChainContext context;
  context.chain = copied.chain;
  context.package = base.package;
  context.definition = base.state.definition;
  context.state = base.state;
  context.durability = durability_of(base.summary);
  context.priority = base.priority();
  context.fork = ForkStart{fork->second.fork, copied.base};
  SupervisorState::Running running;
  running.submitter = caf::actor{self};
  state.packages.put(base.package->hash, base.package);
  spawn_chain(self, std::move(context), std::move(running), 0);
}

bool settle_fork(SupervisorSelf self, const ChainId& chain, const Error* error, bool copied) {
  auto& state = self->state;
  const auto settled = state.forks.extract(chain);
  if (settled.empty()) return false;
  const auto& asker = settled.mapped().asker;
  if (error == nullptr) {
    self->send(asker, actors::Accepted{chain});
    return true;
  }
  if (copied) {
    state.removing.insert(chain);
    self->send(state.services->housekeeper, actors::DropFork{chain});
  }
  self->send(asker, actors::Refused{chain, *error});
  return true;
}

void end_copiers(SupervisorSelf self) {
  for (const auto& [chain, fork] : self->state.forks) {
    if (const auto copier = caf::actor_cast<caf::actor>(fork.copier)) self->send_exit(copier, caf::exit_reason::user_shutdown);
  }
}

void mourn_copier(SupervisorSelf self, const caf::actor_addr& copier) {
  auto& state = self->state;
  const auto fork = std::ranges::find_if(state.forks, [&](const auto& one) { return one.second.copier == copier; });
  if (fork == state.forks.end()) return;
  const auto chain = fork->first;
  const auto error = make_error(Code::internal, fmt::format("what chain '{}' was to begin with could not be copied; fork it again", chain.value));
  settle_fork(self, chain, &error);
}

}  // namespace catena::coordinator
