#include "coordinator/supervisor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/sender.hpp"
#include "lang/context.hpp"

namespace catena::coordinator {
namespace {

using SupervisorSelf = caf::stateful_actor<SupervisorState>*;
constexpr std::uint32_t kRebuildsMax = 3;

storage::Durability durability_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.value("durability", 0) : 0;
  return stored >= 0 && stored <= static_cast<int>(storage::Durability::none) ? static_cast<storage::Durability>(stored)
                                                                              : storage::Durability::sync;
}

std::int32_t priority_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.find("priority") : summary.extra.end();
  return stored != summary.extra.end() && stored->is_number_integer() ? stored->get<std::int32_t>() : 0;
}

caf::actor spawn_chain(SupervisorSelf self, ChainContext context, SupervisorState::Running running) {
  const auto chain = context.chain;
  context.services = self->state.services;
  auto actor = self->spawn<caf::monitored>(chain_coordinator, std::move(context));
  self->state.by_address[actor.address()] = chain;
  running.coordinator = actor;
  self->state.running[chain] = std::move(running);
  return actor;
}

Result<std::shared_ptr<const lang::Package>> package_of(SupervisorState& state, const std::string& hash) {
  if (auto known = state.packages[hash].lock()) return known;
  auto package = recover_package(*state.services->kv, hash, state.services->catalog);
  if (package) state.packages[hash] = *package;
  return package;
}

/// The actor of a chain that has records, with an order to begin with.
Result<caf::actor> spawn_recovered(SupervisorSelf self, const ChainId& chain, Recovered recovered,
                                   std::shared_ptr<const lang::Package> package, std::optional<FirstOrder> first,
                                   std::uint32_t rebuilt = 0) {
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
  context.priority = priority_of(recovered.summary);
  context.summary = std::move(recovered.summary);
  context.state = std::move(recovered.state);
  context.first = std::move(first);
  const auto parent = context.state.parent;
  return spawn_chain(self, std::move(context), {{}, parent, rebuilt, {}, {}});
}

actors::ChainEnded ended(const ChainId& chain, const engine::ChainState& state) {
  return {chain, state.status, state.response, state.error};
}

// ---- submissions ----------------------------------------------------------------------------------------------------

void refuse_taken_id(SupervisorSelf self, const ChainId& chain, const caf::actor& asker) {
  const auto message =
      fmt::format("a chain '{}' exists; choose another id, or `catena resume {}` to go on with it", chain.value, chain.value);
  self->send(asker, actors::Refused{chain, make_error(Code::chain_exists, message)});
}

/// A chain of that id is there already: right for a child whose parent was restarted, an error for everybody else.
void meet_existing(SupervisorSelf self, const actors::Submission& submission, const caf::actor& asker) {
  const auto& chain = submission.chain;
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (submission.parent.empty() || recovered->state.parent != submission.parent) {
    return refuse_taken_id(self, chain, asker);
  }
  const auto status = recovered->state.status;
  const bool again =
      engine::terminal(status) && status != engine::ChainStatus::succeeded && recovered->state.for_grant != submission.for_grant;
  if (engine::terminal(status) && !again) return self->send(asker, ended(chain, recovered->state));
  if (status == engine::ChainStatus::quarantined) return self->send(asker, actors::Refused{chain, *recovered->state.error});
  std::optional<FirstOrder> first;
  if (again) first = FirstOrder{{chain, engine::Retry{submission.for_grant}}, asker};
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), submission.package, std::move(first));
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
  self->state.waiting[chain].push_back(asker);
}

/// What is stored under a hash has that hash: other chains will rely on it.
Result<void> check_programs(const lang::Package& package, const std::map<std::string, std::string>& programs) {
  for (const auto& [hash, content] : programs) {
    const bool is_pinned = std::ranges::any_of(package.pinned, [&](const auto& entry) { return entry.second == hash; });
    if (!is_pinned) return fail(Code::argument_unknown, fmt::format("the submission carries a program ({}) that its package does not pin", hash));
    if (content.size() > lang::kProgramBytesMax || sha256_hex(content) != hash) {
      return fail(Code::argument_type, fmt::format("the submission carries another content for the program {}, or a too large one", hash));
    }
  }
  return {};
}

void submit(SupervisorSelf self, actors::Submission submission) {
  const auto asker = sender_of(*self);
  const auto& chain = submission.chain;
  auto& state = self->state;
  if (const auto valid = check_new_chain_id(chain, !submission.parent.empty()); !valid) return self->send(asker, actors::Refused{chain, valid.error()});
  if (const auto running = state.running.find(chain); running != state.running.end()) {
    if (submission.parent.empty() || running->second.parent != submission.parent) return refuse_taken_id(self, chain, asker);
    state.waiting[chain].push_back(asker);  // a rebuilt step actor finds its child at work
    return;
  }
  const auto summary = storage::load_summary(*state.services->kv, chain);
  if (!summary) return self->send(asker, actors::Refused{chain, summary.error()});
  if (*summary) return meet_existing(self, submission, asker);
  if (submission.parent.empty()) {
    // A context of a submission is small: it is never in a blob. What a child gets was checked with its parent.
    auto checked = lang::check_context(submission.context.text, *submission.package);
    if (!checked) return self->send(asker, actors::Refused{chain, std::move(checked.error())});
    submission.context = checked->empty() ? engine::Payload{} : engine::inline_payload(std::move(*checked));
  }
  if (const auto right = check_programs(*submission.package, submission.programs); !right) {
    return self->send(asker, actors::Refused{chain, right.error()});
  }
  state.packages[submission.package->hash] = submission.package;
  ChainContext context;
  context.chain = chain;
  context.package = submission.package;
  context.definition = submission.definition;
  context.durability = submission.durability;
  if (!submission.parent.empty()) state.waiting[chain].push_back(asker);
  self->send(spawn_chain(self, std::move(context), {{}, submission.parent, 0, asker, {}}), submission, asker);
}

// ---- chains that exist ----------------------------------------------------------------------------------------------

void order_chain(SupervisorSelf self, const actors::Order& order) {
  const auto asker = sender_of(*self);
  const auto running = self->state.running.find(order.chain);
  if (running != self->state.running.end()) {
    if (running->second.coordinator) return self->send(running->second.coordinator, order, asker);
    running->second.orders.emplace_back(asker, order);
    return;
  }
  auto recovered = recover_state(*self->state.services->kv, order.chain);
  if (!recovered) return self->send(asker, actors::Refused{order.chain, recovered.error()});
  if (const auto fits = check_order(recovered->state, order); !fits) return self->send(asker, actors::Refused{order.chain, fits.error()});
  const auto spawned = spawn_recovered(self, order.chain, std::move(*recovered), nullptr, FirstOrder{order, asker});
  if (!spawned) self->send(asker, actors::Refused{order.chain, spawned.error()});
}

void resume_chain(SupervisorSelf self, const ChainId& chain) {
  const auto asker = sender_of(*self);
  if (self->state.running.contains(chain)) return self->send(asker, actors::Accepted{chain});
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  const auto status = recovered->state.status;
  if (engine::terminal(status) || status == engine::ChainStatus::quarantined) {
    return self->send(
        asker, actors::Refused{chain, make_error(Code::chain_state, fmt::format("chain '{}' is {}: there is nothing to resume", chain.value,
                                                                                engine::name(status)))});
  }
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt);
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
  self->send(asker, actors::Accepted{chain});
}

void await_chain(SupervisorSelf self, const ChainId& chain) {
  const auto asker = sender_of(*self);
  if (self->state.running.contains(chain)) {
    self->state.waiting[chain].push_back(asker);
    return;
  }
  const auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (!engine::terminal(recovered->state.status)) {
    return self->send(asker, actors::Refused{chain, make_error(Code::chain_state,
                                                               fmt::format("chain '{}' does not run; `catena resume {}` goes on with it",
                                                                           chain.value, chain.value))});
  }
  self->send(asker, ended(chain, recovered->state));
}

void stop_awaiting(SupervisorSelf self, const ChainId& chain) {
  const auto waiting = self->state.waiting.find(chain);
  if (waiting == self->state.waiting.end()) return;
  std::erase(waiting->second, sender_of(*self));
  if (waiting->second.empty()) self->state.waiting.erase(waiting);
}

template <class Message>
void tell_waiting(SupervisorSelf self, const ChainId& chain, const Message& message) {
  const auto waiting = self->state.waiting.find(chain);
  if (waiting == self->state.waiting.end()) return;
  for (const auto& actor : waiting->second) self->send(actor, message);
  self->state.waiting.erase(waiting);
}

/// A coordinator died of a defect. It is rebuilt from the journal, where everything it knew is once its last commits are written:
/// reading earlier would give two events one number.
void mourn(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  auto& state = self->state;
  state.running.at(chain).coordinator = nullptr;
  state.deaths.emplace(++state.last_ticket, SupervisorState::Death{chain, reason});
  self->send(state.services->journal, actors::Commit{std::make_shared<storage::Batch>(), storage::Durability::none, state.last_ticket});
}

Error died(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  return make_error(Code::internal, fmt::format("the coordinator of chain '{}' died: {}", chain.value, self->system().render(reason)));
}

Result<void> rebuild(SupervisorSelf self, const ChainId& chain, std::uint32_t rebuilt, const caf::error& reason) {
  if (rebuilt >= kRebuildsMax) return fail(died(self, chain, reason));
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return fail(recovered.error());
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt, rebuilt + 1);
  if (!spawned) return fail(spawned.error());
  return {};
}

void rebuild_after(SupervisorSelf self, std::uint64_t ticket) {
  const auto death = self->state.deaths.extract(ticket);
  if (death.empty()) return;
  const auto& chain = death.mapped().chain;
  const auto before = self->state.running.extract(chain);
  const auto rebuilt = rebuild(self, chain, before.mapped().rebuilt, death.mapped().reason);
  if (!rebuilt) {
    tell_waiting(self, chain, actors::Refused{chain, rebuilt.error()});
    // It died before anything was durable, so its submitter has no answer yet.
    const auto& submitter = before.mapped().submitter;
    if (submitter && rebuilt.error().code == Code::chain_not_found)
      self->send(submitter, actors::Refused{chain, died(self, chain, death.mapped().reason)});
  }
  for (const auto& [asker, order] : before.mapped().orders) {
    if (rebuilt) {
      self->send(self->state.running.at(chain).coordinator, order, asker);
    } else {
      self->send(asker, actors::Refused{chain, rebuilt.error()});
    }
  }
}

}  // namespace

Result<void> check_new_chain_id(const ChainId& chain, bool child) {
  const std::string_view marks = child ? "._-/@" : "._-";
  const auto longest = child ? limits::kChainIdBytesMax : limits::kSubmittedIdBytesMax;
  const auto allowed = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || marks.find(c) != std::string_view::npos; };
  if (chain.empty() || chain.value.size() > longest || !std::ranges::all_of(chain.value, allowed)) {
    return fail(Code::id_invalid, fmt::format("'{}' cannot be a chain's id: up to {} letters, digits, '.', '_', '-'", chain.value, longest));
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
    if (running == state.running.end() || !running->second.coordinator || running->second.coordinator.address() != down.source) return;
    if (down.reason == caf::exit_reason::normal || down.reason == caf::exit_reason::user_shutdown) {
      state.running.erase(running);
    } else {
      mourn(self, chain, down.reason);
    }
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    for (const auto& [chain, running] : self->state.running) {
      if (running.coordinator) self->send_exit(running.coordinator, caf::exit_reason::user_shutdown);
    }
    self->state.services->supervisor = nullptr;  // the handle would keep this actor alive
    self->quit(exit.reason);
  });
  return {
      [=](actors::Submission& submission) { submit(self, std::move(submission)); },
      [=](const actors::ResumeChain& resume) { resume_chain(self, resume.chain); },
      [=](const actors::Order& order) { order_chain(self, order); },
      [=](const actors::AwaitChain& await) { await_chain(self, await.chain); },
      [=](const actors::StopAwaiting& stop) { stop_awaiting(self, stop.chain); },
      [=](const actors::AskProgress& ask) {
        // A chain that does not run has no progress; ChainEnded tells the rest.
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end() && running->second.coordinator)
          self->send(running->second.coordinator, ask, sender_of(*self));
      },
      [=](const actors::AskExplain& ask) {
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end() && running->second.coordinator) {
          self->send(running->second.coordinator, ask, sender_of(*self));
        } else {
          self->send(sender_of(*self), actors::Explained{ask.chain, {"it does not run"}});
        }
      },
      [=](const actors::ChainEnded& message) {
        const auto coordinator = sender_of(*self);
        const auto running = self->state.running.find(message.chain);
        // From one that has died since: the one that takes its place says it again.
        if (running == self->state.running.end() || running->second.coordinator != coordinator) return;
        self->state.running.erase(running);
        tell_waiting(self, message.chain, message);
        // From here on nobody is sent to the coordinator: behind all orders and tickets on their way comes its leave.
        caf::send_as(coordinator, self->state.services->dispatcher, actors::ChainDone{});
      },
      [=](const actors::Durable& durable) { rebuild_after(self, durable.ticket); },
      [=](const actors::NodeGone& gone) {
        for (const auto& [chain, running] : self->state.running) {
          if (running.coordinator) self->send(running.coordinator, gone);
        }
      },
  };
}

}  // namespace catena::coordinator
