#include "coordinator/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/limits.hpp"
#include "coordinator/recover.hpp"

namespace catena::coordinator {
namespace {

using Self = caf::stateful_actor<SupervisorState>*;
constexpr std::uint32_t kRebuildsMax = 3;

caf::actor sender_of(Self self) { return caf::actor_cast<caf::actor>(self->current_sender()); }

storage::Durability durability_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.value("durability", 0) : 0;
  return stored >= 0 && stored <= static_cast<int>(storage::Durability::none) ? static_cast<storage::Durability>(stored) : storage::Durability::sync;
}

caf::actor spawn_chain(Self self, ChainContext context, GrantId for_grant, std::uint32_t rebuilt = 0) {
  const auto chain = context.chain;
  context.services = self->state.services;
  auto actor = self->spawn<caf::monitored>(chain_coordinator, std::move(context));
  self->state.by_address[actor.address()] = chain;
  self->state.running[chain] = {actor, for_grant, rebuilt};
  return actor;
}

Result<std::shared_ptr<const lang::Package>> package_of(SupervisorState& state, const std::string& hash) {
  if (auto known = state.packages[hash].lock()) return known;
  auto package = recover_package(*state.services->kv, hash, state.services->catalog);
  if (package) state.packages[hash] = *package;
  return package;
}

/// The actor of a chain that has records, with an order to begin with.
Result<caf::actor> spawn_recovered(Self self, const ChainId& chain, Recovered recovered, std::shared_ptr<const lang::Package> package,
                                   std::optional<FirstOrder> first, std::uint32_t rebuilt = 0) {
  if (!package) {
    auto loaded = package_of(self->state, recovered.state.package);
    if (!loaded) return fail(loaded.error());
    package = std::move(*loaded);
  }
  const auto definition = recovered.state.definition;
  const auto program = package->programs.find(definition);
  if (program == package->programs.end() || program->second->steps.size() != recovered.state.steps.size()) {
    return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", chain.value));
  }
  ChainContext context;
  context.chain = chain;
  context.package = std::move(package);
  context.definition = definition;
  context.durability = durability_of(recovered.summary);
  context.summary = std::move(recovered.summary);
  const auto for_grant = first && std::holds_alternative<engine::Retry>(first->order.what) ? std::get<engine::Retry>(first->order.what).for_grant
                                                                                          : recovered.state.for_grant;
  context.state = std::move(recovered.state);
  context.first = std::move(first);
  return spawn_chain(self, std::move(context), for_grant, rebuilt);
}

actors::ChainEnded ended(const ChainId& chain, const engine::ChainState& state) { return {chain, state.status, state.response, state.error}; }

// ---- submissions ----------------------------------------------------------------------------------------------------

/// A chain of that id is there already: right for a child whose parent was restarted, an error for everybody else.
void meet_existing(Self self, const actors::Submission& submission, const caf::actor& asker) {
  const auto& chain = submission.chain;
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (submission.parent.empty() || recovered->state.parent != submission.parent) {
    return self->send(asker, actors::Refused{chain, make_error(Code::chain_exists, fmt::format("a chain '{}' exists; choose another id, or `catena resume {}` to go on with it", chain.value, chain.value))});
  }
  const auto status = recovered->state.status;
  const bool again = engine::terminal(status) && status != engine::ChainStatus::succeeded && recovered->state.for_grant != submission.for_grant;
  if (engine::terminal(status) && !again) return self->send(asker, ended(chain, recovered->state));
  if (status == engine::ChainStatus::quarantined) return self->send(asker, actors::Refused{chain, *recovered->state.error});
  std::optional<FirstOrder> first;
  if (again) first = FirstOrder{{chain, engine::Retry{submission.for_grant}}, asker};
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), submission.package, std::move(first));
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
  self->state.waiting[chain].push_back(asker);
}

void submit(Self self, const actors::Submission& submission) {
  const auto asker = sender_of(self);
  const auto& chain = submission.chain;
  auto& state = self->state;
  if (const auto valid = check_new_chain_id(chain); !valid) return self->send(asker, actors::Refused{chain, valid.error()});
  if (state.running.contains(chain) && !submission.parent.empty()) {
    state.waiting[chain].push_back(asker);  // a rebuilt step actor finds its child at work
    return;
  }
  const auto summary = storage::load_summary(*state.services->kv, chain);
  if (!summary) return self->send(asker, actors::Refused{chain, summary.error()});
  if (*summary || state.running.contains(chain)) return meet_existing(self, submission, asker);
  state.packages[submission.package->hash] = submission.package;
  ChainContext context;
  context.chain = chain;
  context.package = submission.package;
  context.definition = submission.definition;
  context.durability = submission.durability;
  if (!submission.parent.empty()) state.waiting[chain].push_back(asker);
  self->send(spawn_chain(self, std::move(context), submission.for_grant), submission, asker);
}

// ---- chains that exist ----------------------------------------------------------------------------------------------

Result<void> check_order(const engine::ChainState& state, const actors::Order& order) {
  const auto status = state.status;
  const auto refuse = [&](std::string_view what) -> Result<void> {
    return fail(Code::chain_state, fmt::format("chain '{}' is {}: {}", order.chain.value, engine::name(status), what));
  };
  if (std::holds_alternative<engine::Retry>(order.what)) {
    if (status == engine::ChainStatus::failed || status == engine::ChainStatus::cancelled) return {};
    return refuse("only a failed or cancelled chain can be retried");
  }
  if (engine::terminal(status) || status == engine::ChainStatus::quarantined) return refuse("it has ended");
  return {};
}

void take_order(Self self, const actors::Order& order) {
  const auto asker = sender_of(self);
  const auto running = self->state.running.find(order.chain);
  if (running != self->state.running.end()) return self->send(running->second.coordinator, order, asker);
  auto recovered = recover_state(*self->state.services->kv, order.chain);
  if (!recovered) return self->send(asker, actors::Refused{order.chain, recovered.error()});
  if (const auto fits = check_order(recovered->state, order); !fits) return self->send(asker, actors::Refused{order.chain, fits.error()});
  const auto spawned = spawn_recovered(self, order.chain, std::move(*recovered), nullptr, FirstOrder{order, asker});
  if (!spawned) self->send(asker, actors::Refused{order.chain, spawned.error()});
}

void resume_chain(Self self, const ChainId& chain) {
  const auto asker = sender_of(self);
  if (self->state.running.contains(chain)) return self->send(asker, actors::Accepted{chain});
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  const auto status = recovered->state.status;
  if (engine::terminal(status) || status == engine::ChainStatus::quarantined) {
    return self->send(asker, actors::Refused{chain, make_error(Code::chain_state, fmt::format("chain '{}' is {}: there is nothing to resume", chain.value, engine::name(status)))});
  }
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt);
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
  self->send(asker, actors::Accepted{chain});
}

void await_chain(Self self, const ChainId& chain) {
  const auto asker = sender_of(self);
  if (self->state.running.contains(chain)) {
    self->state.waiting[chain].push_back(asker);
    return;
  }
  const auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (!engine::terminal(recovered->state.status)) {
    return self->send(asker, actors::Refused{chain, make_error(Code::chain_state, fmt::format("chain '{}' does not run; `catena resume {}` goes on with it", chain.value, chain.value))});
  }
  self->send(asker, ended(chain, recovered->state));
}

template <class Message>
void tell_waiting(Self self, const ChainId& chain, const Message& message) {
  const auto waiting = self->state.waiting.find(chain);
  if (waiting == self->state.waiting.end()) return;
  for (const auto& actor : waiting->second) self->send(actor, message);
  self->state.waiting.erase(waiting);
}

/// A coordinator that died of a defect is rebuilt from the journal: everything it knew is there.
void rebuild(Self self, const ChainId& chain, std::uint32_t rebuilt, const caf::error& reason) {
  const auto give_up = [&](const Error& error) { tell_waiting(self, chain, actors::Refused{chain, error}); };
  if (rebuilt >= kRebuildsMax) {
    return give_up(make_error(Code::internal, fmt::format("the coordinator of chain '{}' died {} times: {}", chain.value, rebuilt + 1, self->system().render(reason))));
  }
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return give_up(recovered.error());
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt, rebuilt + 1);
  if (!spawned) give_up(spawned.error());
}

}  // namespace

Result<void> check_new_chain_id(const ChainId& chain) {
  const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view{"._-/@"}.find(c) != std::string_view::npos; };
  if (chain.empty() || chain.value.size() > limits::kChainIdBytesMax || !std::ranges::all_of(chain.value, allowed)) {
    return fail(Code::id_invalid, fmt::format("'{}' cannot be a chain's id: up to {} letters, digits, '.', '_', '-'", chain.value, limits::kChainIdBytesMax));
  }
  return {};
}

caf::behavior supervisor(caf::stateful_actor<SupervisorState>* self, std::shared_ptr<Services> services) {
  services->supervisor = caf::actor{self};
  self->state.services = std::move(services);
  self->set_down_handler([=](const caf::down_msg& down) {
    auto& state = self->state;
    const auto known = state.by_address.find(down.source);
    if (known == state.by_address.end()) return;
    const auto chain = known->second;
    state.by_address.erase(known);
    const auto running = state.running.find(chain);
    if (running == state.running.end() || running->second.coordinator.address() != down.source) return;
    const auto rebuilt = running->second.rebuilt;
    state.running.erase(running);
    if (down.reason != caf::exit_reason::normal && down.reason != caf::exit_reason::user_shutdown) rebuild(self, chain, rebuilt, down.reason);
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    for (const auto& [chain, running] : self->state.running) self->send_exit(running.coordinator, caf::exit_reason::user_shutdown);
    self->state.services->supervisor = nullptr;  // the handle would keep this actor alive
    self->quit(exit.reason);
  });
  return {
      [=](const actors::Submission& submission) { submit(self, submission); },
      [=](const actors::ResumeChain& resume) { resume_chain(self, resume.chain); },
      [=](const actors::Order& order) { take_order(self, order); },
      [=](const actors::AwaitChain& await) { await_chain(self, await.chain); },
      [=](const actors::AskProgress& ask) {
        // A chain that does not run has no progress; ChainEnded tells the rest.
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end()) self->send(running->second.coordinator, ask, sender_of(self));
      },
      [=](const actors::ChainEnded& message) {
        self->state.running.erase(message.chain);
        tell_waiting(self, message.chain, message);
      },
      [=](const actors::NodeGone& gone) {
        for (const auto& [chain, running] : self->state.running) self->send(running.coordinator, gone);
      },
  };
}

}  // namespace catena::coordinator
