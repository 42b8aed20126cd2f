#include "coordinator/supervisor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "coordinator/cancelling.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/sleeping.hpp"
#include "coordinator/strikes.hpp"
#include "coordinator/submission_checks.hpp"

namespace catena::coordinator {
namespace {

using Running = SupervisorState::Running;
using Life = SupervisorState::Life;

constexpr std::uint32_t kRebuildsMax = 3;
constexpr std::size_t kDeferredAtOnce = 256;   // chains that go on when there is memory again, between two readings
constexpr std::uint64_t kSpawnsPerReading = 512;
constexpr std::chrono::milliseconds kMemoryEvery{250};

// ---- families and memory --------------------------------------------------------------------------------------------

ChainKey key_of(const SupervisorState& state, const ChainId& chain) {
  const auto running = state.running.find(chain);
  return running == state.running.end() ? 0 : running->second.key;
}

void log_line(const SupervisorState& state, const std::string& line) {
  if (state.services->log) state.services->log(line);
}

void tell_berths(SupervisorSelf self) {
  for (const auto& answer : self->state.families.decide()) {
    const auto& running = self->state.by_key.at(answer.chain)->second;
    if (answer.verdict == Families::Verdict::given) {
      self->send(running.coordinator, actors::BerthsGiven{answer.visit, answer.berths});
    } else {
      self->send(running.coordinator, actors::BerthRefused{answer.visit});
    }
  }
}

void read_memory(SupervisorSelf self) {
  auto& state = self->state;
  if (!state.services->resident || !state.memory.read(state.services->resident())) return;
  log_line(state, state.memory.words());
  state.families.set_spawning(state.memory.closed() ? Families::Spawning::closed : Families::Spawning::open);
  tell_berths(self);
}

/// A chain lives no longer: its parent has that to deal with.
void leave_family(SupervisorSelf self, const Running& running) {
  auto& state = self->state;
  state.by_key.erase(running.key);
  state.families.end(running.key, running.waiting.empty() ? Families::Heard::by_nobody : Families::Heard::by_parent);
  if (const auto parent = state.running.find(running.parent); parent != state.running.end()) wake(self, parent->second);
}

// ---- chains come to life --------------------------------------------------------------------------------------------

caf::actor spawn_chain(SupervisorSelf self, ChainContext context, Running running, std::uint32_t depth, std::uint32_t earlier = 0) {
  auto& state = self->state;
  if (++state.spawned % kSpawnsPerReading == 0) read_memory(self);
  const auto chain = context.chain;
  context.services = state.services;
  auto actor = self->spawn<caf::monitored>(chain_coordinator, std::move(context));
  running.coordinator = actor;
  if (running.key == 0) running.key = ++state.last_key;
  const auto at = state.running.insert_or_assign(chain, std::move(running)).first;
  state.by_address[actor.address()] = at->second.key;
  state.by_key[at->second.key] = at;
  state.families.begin({at->second.key, key_of(state, at->second.parent), family_of(chain), depth, earlier});
  return actor;
}

/// The actor of a chain that has records, with an order to begin with.
Result<caf::actor> spawn_recovered(SupervisorSelf self, const ChainId& chain, Recovered recovered,
                                   std::shared_ptr<const lang::Package> package, std::optional<FirstOrder> first, Running running = {},
                                   std::optional<Millis> lead = {}) {
  if (!package) {
    auto loaded = self->state.package_of(recovered.state.package);
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
  context.lead = lead;
  running.parent = context.state.parent;
  const auto depth = context.state.depth;
  std::uint32_t earlier = 0;
  for (const auto& [id, grant] : context.state.grants) earlier += grant.worker == kChainsWorker ? grant.open.size() : 0;
  return spawn_chain(self, std::move(context), std::move(running), depth, earlier);
}

actors::ChainEnded ended(const ChainId& chain, const engine::ChainState& state) {
  return {chain, state.status, state.response, state.error};
}

// ---- submissions ----------------------------------------------------------------------------------------------------

void refuse_taken_id(SupervisorSelf self, const ChainId& chain, const caf::actor& asker) {
  self->send(asker, actors::Refused{chain, chain_exists(chain)});
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
  Running running;
  running.step = asker;
  running.waiting.push_back(asker);
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), submission.package, std::move(first), std::move(running));
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
}

void submit(SupervisorSelf self, actors::Submission submission, const caf::actor& asker) {
  const auto& chain = submission.chain;
  auto& state = self->state;
  const bool child = !submission.parent.empty();
  if (const auto valid = check_new_chain_id(chain, child); !valid) return self->send(asker, actors::Refused{chain, valid.error()});
  if (const auto running = state.running.find(chain); running != state.running.end()) {
    if (!child || running->second.parent != submission.parent) return refuse_taken_id(self, chain, asker);
    // A step of a parent that was rebuilt or slept finds its child at work, and takes the place of the one before.
    auto& waiting = running->second.waiting;
    std::erase(waiting, std::exchange(running->second.step, asker));
    waiting.push_back(asker);
    return;
  }
  if (state.sweep->is_writing(chain)) return self->send(asker, actors::Refused{chain, just_ending(chain)});
  if (child && submission.berth != actors::Berth::reserved && state.memory.closed()) {
    state.deferred.insert_or_assign(chain, SupervisorState::Deferred{std::move(submission), asker});
    return;
  }
  const auto summary = storage::load_summary(*state.services->kv, chain);
  if (!summary) return self->send(asker, actors::Refused{chain, summary.error()});
  if (*summary) return meet_existing(self, submission, asker);
  if (!child) {
    if (state.memory.closed()) return self->send(asker, actors::Refused{chain, state.memory.refusal()});
    if (auto checked = check_submitted(submission); !checked) return self->send(asker, actors::Refused{chain, std::move(checked).error()});
  }
  if (const auto right = check_programs(*submission.package, submission.programs); !right) {
    return self->send(asker, actors::Refused{chain, right.error()});
  }
  state.packages.put(submission.package->hash, submission.package);
  ChainContext context;
  context.chain = chain;
  context.package = submission.package;
  context.definition = submission.definition;
  context.durability = submission.durability;
  Running running;
  running.parent = submission.parent;
  running.submitter = asker;
  if (child) running.waiting.push_back(running.step = asker);
  const auto spawned = spawn_chain(self, std::move(context), std::move(running), submission.depth);
  self->send(spawned, std::move(submission), asker);
}

// ---- chains that exist ----------------------------------------------------------------------------------------------

void order_chain(SupervisorSelf self, const actors::Order& order) {
  const auto asker = sender_of(*self);
  const auto running = self->state.running.find(order.chain);
  if (running != self->state.running.end()) {
    pass_on(self, running->second, order, asker);
    if (std::holds_alternative<engine::Cancel>(order.what)) cancel_descendants(self, order);
    return;
  }
  if (self->state.sweep->is_writing(order.chain)) return self->send(asker, actors::Refused{order.chain, just_ending(order.chain)});
  // What ends a chain makes room.
  if (self->state.memory.closed() && !std::holds_alternative<engine::Cancel>(order.what)) {
    return self->send(asker, actors::Refused{order.chain, self->state.memory.refusal()});
  }
  self->state.deferred.erase(order.chain);
  auto recovered = recover_state(*self->state.services->kv, order.chain);
  if (!recovered) return self->send(asker, actors::Refused{order.chain, recovered.error()});
  if (const auto fits = check_order(recovered->state, order); !fits) return self->send(asker, actors::Refused{order.chain, fits.error()});
  const auto spawned = spawn_recovered(self, order.chain, std::move(*recovered), nullptr, FirstOrder{order, asker});
  if (!spawned) self->send(asker, actors::Refused{order.chain, spawned.error()});
}

/// A strike against a chain that was live at an unclean end, recorded before it is gone on with. Error: it is the last one.
Result<void> count_strike(SupervisorSelf self, Recovered& recovered) {
  const auto& services = *self->state.services;
  const storage::IndexedAs old{recovered.summary.status, recovered.summary.started_at};
  auto set_aside = strike_against(recovered.summary, services.kv->epoch(), recovered.state);
  auto batch = std::make_shared<storage::Batch>();
  if (auto put = storage::put_summary(*batch, recovered.summary, old); !put) return put;
  self->send(services.journal, actors::Commit{std::move(batch), storage::Durability::sync, 0});
  if (set_aside) return fail(std::move(*set_aside));
  return {};
}

void resume_chain(SupervisorSelf self, const actors::ResumeChain& resume, const caf::actor& asker) {
  const auto& chain = resume.chain;
  auto& state = self->state;
  if (state.running.contains(chain)) return self->send(asker, actors::Accepted{chain});
  if (state.sweep->is_writing(chain)) return self->send(asker, actors::Refused{chain, just_ending(chain)});
  if (state.memory.closed()) {
    if (resume.by == actors::ResumedBy::person) return self->send(asker, actors::Refused{chain, state.memory.refusal()});
    state.deferred.insert_or_assign(chain, SupervisorState::Deferred{resume, {}});
    return self->send(asker, actors::Accepted{chain});
  }
  state.deferred.erase(chain);
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  const auto status = recovered->state.status;
  if (engine::terminal(status) || status == engine::ChainStatus::quarantined) {
    return self->send(
        asker, actors::Refused{chain, make_error(Code::chain_state, fmt::format("chain '{}' is {}: there is nothing to resume", chain.value,
                                                                                engine::name(status)))});
  }
  if (resume.by == actors::ResumedBy::unclean_start) {
    if (auto goes_on = count_strike(self, *recovered); !goes_on) return self->send(asker, actors::Refused{chain, std::move(goes_on).error()});
  }
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt);
  if (!spawned) return self->send(asker, actors::Refused{chain, spawned.error()});
  self->send(asker, actors::Accepted{chain});
}

void await_chain(SupervisorSelf self, const ChainId& chain) {
  const auto asker = sender_of(*self);
  if (const auto running = self->state.running.find(chain); running != self->state.running.end()) {
    running->second.waiting.push_back(asker);
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
  const auto running = self->state.running.find(chain);
  if (running != self->state.running.end()) std::erase(running->second.waiting, sender_of(*self));
}

/// Its parent has a berth for it, which is free when it is not to live.
void take_submission(SupervisorSelf self, actors::Submission submission, const caf::actor& asker) {
  auto& state = self->state;
  const auto settled = [&] { return state.spawned + state.deferred.size(); };
  const auto before = settled();
  const auto parent = key_of(state, submission.parent);
  submit(self, std::move(submission), asker);
  if (parent != 0 && settled() == before) state.families.give_back(parent, 1);
  tell_berths(self);
}

/// There is memory again for chains that were put off.
void go_on_with_deferred(SupervisorSelf self) {
  auto& state = self->state;
  for (std::size_t count = 0; count < kDeferredAtOnce && !state.deferred.empty() && !state.memory.closed(); ++count) {
    auto deferred = state.deferred.extract(state.deferred.begin()).mapped();
    if (auto* submission = std::get_if<actors::Submission>(&deferred.what)) {
      take_submission(self, std::move(*submission), deferred.asker);
    } else {
      resume_chain(self, std::get<actors::ResumeChain>(deferred.what), caf::actor{self});
    }
  }
}

/// A coordinator died of a defect. It is rebuilt from the journal, where everything it knew is once its last commits are written:
/// reading earlier would give two events one number.
void mourn(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  auto& state = self->state;
  state.running.at(chain).coordinator = nullptr;
  state.running.at(chain).life = Life::lives;
  state.families.falter(state.running.at(chain).key);
  state.deaths.emplace(++state.last_ticket, SupervisorState::Death{chain, reason});
  self->send(state.services->journal, actors::Commit{std::make_shared<storage::Batch>(), storage::Durability::none, state.last_ticket});
}

Error died(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  return make_error(Code::internal, fmt::format("the coordinator of chain '{}' died: {}", chain.value, self->system().render(reason)));
}

/// From its records; whoever waits for it, and its place in its family, stay what they were.
Result<void> bring_back(SupervisorSelf self, const ChainId& chain, const Running& before) {
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return fail(recovered.error());
  Running running;
  running.rebuilt = before.rebuilt;
  running.step = before.step;
  running.waiting = before.waiting;
  running.key = before.key;
  std::optional<Millis> lead;
  if (before.life == Life::wakes) lead = before.lead;
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt, std::move(running), lead);
  if (!spawned) return fail(spawned.error());
  return {};
}

/// What came for a chain that had no coordinator.
void pass_on_kept(SupervisorSelf self, const ChainId& chain, const Running& before, const Result<void>& back) {
  if (!back) {
    for (const auto& waiting : before.waiting) self->send(waiting, actors::Refused{chain, back.error()});
    leave_family(self, before);
  }
  for (const auto& [asker, what] : before.kept) {
    if (back) {
      pass_on(self, self->state.running.at(chain), what, asker);
    } else {
      self->send(asker, actors::Refused{chain, back.error()});
    }
  }
}

void rebuild_after(SupervisorSelf self, std::uint64_t ticket) {
  const auto death = self->state.deaths.extract(ticket);
  if (death.empty()) return;
  const auto& [chain, reason] = death.mapped();
  auto before = self->state.running.extract(chain).mapped();
  const auto back = ++before.rebuilt > kRebuildsMax ? Result<void>{fail(died(self, chain, reason))} : bring_back(self, chain, before);
  pass_on_kept(self, chain, before, back);
  // It died before anything was durable, so its submitter has no answer yet.
  if (!back && before.submitter && back.error().code == Code::chain_not_found)
    self->send(before.submitter, actors::Refused{chain, died(self, chain, reason)});
}

void wake_now(SupervisorSelf self, ChainKey key) {
  const auto known = self->state.by_key.find(key);
  if (known == self->state.by_key.end() || known->second->second.life != Life::wakes) return;
  const auto chain = known->second->first;
  const auto before = self->state.running.extract(known->second).mapped();
  pass_on_kept(self, chain, before, bring_back(self, chain, before));
  tell_berths(self);
}

/// Its coordinator has said so, or has ended without a word because it was stopped.
void end_running(SupervisorSelf self, std::map<ChainId, Running>::iterator at) {
  const auto running = std::move(at->second);
  self->state.running.erase(at);
  leave_family(self, running);
}

}  // namespace

Result<std::shared_ptr<const lang::Package>> SupervisorState::package_of(const std::string& hash) {
  if (auto known = packages.find(hash)) return known;
  auto package = recover_package(*services->kv, hash, services->catalog);
  if (package) packages.put(hash, *package);
  return package;
}

caf::behavior supervisor(caf::stateful_actor<SupervisorState>* self, std::shared_ptr<Services> services) {
  services->supervisor = caf::actor{self};
  self->state.services = std::move(services);
  const auto& shared = *self->state.services;
  self->state.families = Families{shared.settings.family_max};
  self->state.memory = MemoryGate{shared.settings.memory_max};
  self->state.sweep.emplace(*shared.kv, *shared.clock);
  if (shared.settings.sleep_after_ms > 0) self->delayed_send(self, std::chrono::milliseconds{shared.settings.sleep_after_ms}, actors::AskIdle{});
  if (shared.resident && shared.settings.memory_max > 0) self->delayed_send(self, kMemoryEvery, actors::MemoryDue{});
  self->set_down_handler([=](const caf::down_msg& down) {
    auto& state = self->state;
    const auto known = state.by_address.find(down.source);
    if (known == state.by_address.end()) return;
    const auto at = state.by_key.find(known->second);
    state.by_address.erase(known);
    if (at == state.by_key.end()) return;
    const auto running = at->second;
    if (!running->second.coordinator || running->second.coordinator.address() != down.source) return;
    const bool in_order = down.reason == caf::exit_reason::normal || down.reason == caf::exit_reason::user_shutdown;
    if (in_order && running->second.life == Life::dozes) {
      fall_asleep(self, running->second);
    } else if (in_order) {
      // It never began: its submitter knows, and so must whoever else waits for it.
      const auto words = fmt::format("chain '{}' did not begin, because the store could not be read; submit it again", running->first.value);
      for (const auto& waiting : running->second.waiting) self->send(waiting, actors::Refused{running->first, make_error(Code::storage_io, words)});
      end_running(self, running);
    } else {
      mourn(self, running->first, down.reason);
    }
    tell_berths(self);
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    for (const auto& [chain, running] : self->state.running) {
      if (running.coordinator) self->send_exit(running.coordinator, caf::exit_reason::user_shutdown);
    }
    self->state.services->supervisor = nullptr;  // the handle would keep this actor alive
    self->quit(exit.reason);
  });
  return {
      [=](actors::Submission& submission) { take_submission(self, std::move(submission), sender_of(*self)); },
      [=](const actors::ResumeChain& resume) { resume_chain(self, resume, sender_of(*self)); },
      [=](const actors::Order& order) { order_chain(self, order); },
      [=](const actors::AwaitChain& await) { await_chain(self, await.chain); },
      [=](const actors::StopAwaiting& stop) { stop_awaiting(self, stop.chain); },
      [=](const actors::AskProgress& ask) {
        // A chain that does not run has no progress; ChainEnded tells the rest.
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end()) pass_on(self, running->second, ask, sender_of(*self));
      },
      [=](const actors::AskExplain& ask) {
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end()) {
          pass_on(self, running->second, ask, sender_of(*self));
        } else {
          self->send(sender_of(*self), actors::Explained{ask.chain, {"it does not run"}});
        }
      },
      [=](const actors::ChainEnded& message) {
        const auto coordinator = sender_of(*self);
        const auto running = self->state.running.find(message.chain);
        // From one that has died since: the one that takes its place says it again.
        if (running == self->state.running.end() || running->second.coordinator != coordinator) return;
        let_live(self, running->second);
        for (const auto& waiting : running->second.waiting) self->send(waiting, message);
        end_running(self, running);
        tell_berths(self);
        // From here on nobody is sent to the coordinator: behind all orders and tickets on their way comes its leave.
        caf::send_as(coordinator, self->state.services->dispatcher, actors::ChainDone{});
      },
      [=](const actors::Durable& durable) {
        rebuild_after(self, durable.ticket);
        answer_swept(self, durable.ticket);
      },
      [=](const actors::BerthsWanted& wanted) {
        const auto known = self->state.by_address.find(caf::actor_cast<caf::actor_addr>(self->current_sender()));
        if (known == self->state.by_address.end()) return;
        self->state.families.want({known->second, wanted.visit, wanted.berths, wanted.besides});
        tell_berths(self);
      },
      [=](const actors::BerthsBack& back) {
        self->state.families.give_back(key_of(self->state, back.chain), back.berths);
        tell_berths(self);
      },
      [=](const actors::CancelChild& cancel) { cancel_child(self, cancel); },
      [=](const actors::GoOn&) { go_on_sweeping(self); },
      [=](const actors::AskIdle&) { ask_for_idle(self); },
      [=](const actors::Idle& idle) { put_to_sleep(self, idle); },
      [=](const actors::StaysAwake& awake) {
        const auto running = self->state.running.find(awake.chain);
        if (running != self->state.running.end() && running->second.coordinator == sender_of(*self)) let_live(self, running->second);
      },
      [=](const actors::WakeChain& chain) { wake_now(self, chain.key); },
      [=](const actors::AlarmDue& alarm) { wake_due(self, alarm); },
      [=](const actors::MemoryDue&) {
        read_memory(self);
        go_on_with_deferred(self);
        self->delayed_send(self, kMemoryEvery, actors::MemoryDue{});
      },
      // What became of chains that were put off, and of orders of its own.
      [=](const actors::Accepted&) {},
      [=](const actors::Refused& refused) {
        if (refused.error.code != Code::chain_state) log_line(self->state, render(refused.error));
      },
      [=](const actors::NodeGone& gone) {
        for (const auto& [chain, running] : self->state.running) {
          if (running.coordinator) self->send(running.coordinator, gone);
        }
      },
  };
}

}  // namespace catena::coordinator
