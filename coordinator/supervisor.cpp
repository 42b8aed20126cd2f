#include "coordinator/supervisor.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "coordinator/approving.hpp"
#include "coordinator/cancelling.hpp"
#include "coordinator/control_checks.hpp"
#include "coordinator/explaining.hpp"
#include "coordinator/forking.hpp"
#include "coordinator/holding.hpp"
#include "coordinator/keyed.hpp"
#include "coordinator/measuring.hpp"
#include "coordinator/rebuilding.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/removing.hpp"
#include "coordinator/repair.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/sleeping.hpp"
#include "coordinator/spawning.hpp"
#include "coordinator/submission_checks.hpp"
#include "coordinator/substitution.hpp"
#include "engine/signals.hpp"

namespace catena::coordinator {
namespace {

using Running = SupervisorState::Running;
using Life = SupervisorState::Life;

constexpr std::size_t kDeferredAtOnce = 256;  // chains that go on when there is memory again, between two readings
constexpr std::chrono::milliseconds kMemoryEvery{250};

actors::ChainEnded ended(const ChainId& chain, const engine::ChainState& state) { return {chain, state.status, state.response, state.error}; }

// ---- submissions ----------------------------------------------------------------------------------------------------

void refuse_taken_id(SupervisorSelf self, const ChainId& chain, const caf::actor& asker) {
  self->send(asker, actors::Refused{chain, chain_exists(chain)});
}

/// A child's failure is repaired as its parent's is: with what its parent has now.
Result<engine::Retry> retry_of_child(SupervisorState& state, const actors::Submission& submission, const Recovered& recovered) {
  const auto had = state.package_of(recovered.state.package);
  if (!had) return fail(had.error());
  actors::RepairWish wish;
  wish.only_failed = submission.only_failed;
  auto retry = repair_of(wish, {submission.chain, recovered.state, **had, *submission.package});
  if (retry) retry->for_grant = submission.for_grant;
  return retry;
}

/// What a person's wish comes to for the chain, and whether it can go on with the package that comes with it.
Result<void> prepare_retry(SupervisorState& state, actors::Control& control, const Recovered& recovered) {
  const auto had = state.package_of(recovered.state.package);
  if (!had) return fail(had.error());
  if (control.package) {
    if (auto right = check_programs(*control.package, control.programs); !right) return right;
  }
  const auto& services = *state.services;
  auto retry = retry_of(control, {control.chain, recovered.state, **had, *services.kv, services.clock->now()});
  if (!retry) return fail(std::move(retry).error());
  control.what = std::move(*retry);
  return {};
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
  const bool again = engine::terminal(status) && status != engine::ChainStatus::succeeded && recovered->state.for_grant != submission.for_grant;
  if (engine::terminal(status) && !again) return self->send(asker, ended(chain, recovered->state));
  if (status == engine::ChainStatus::quarantined) return self->send(asker, actors::Refused{chain, *recovered->state.error});
  std::optional<FirstControl> first;
  if (again) {
    auto retry = retry_of_child(self->state, submission, *recovered);
    if (!retry) return self->send(asker, actors::Refused{chain, std::move(retry).error()});
    first = FirstControl{{chain, std::move(*retry)}, asker};
  }
  Running running;
  running.step = asker;
  running.waiting.push_back(asker);
  // One that goes on has what it began with, though its parent was retried with programs of today.
  const auto package = again || recovered->state.package == submission.package->hash ? submission.package : nullptr;
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), package, std::move(first), std::move(running));
  if (!spawned) self->send(asker, actors::Refused{chain, spawned.error()});
}

void submit(SupervisorSelf self, actors::Submission submission, const caf::actor& asker) {
  const auto chain = submission.chain;  // a copy: the submission may be put off, or leave for its chain
  auto& state = self->state;
  const bool child = !submission.parent.empty();
  if (const auto valid = check_new_chain_id(chain, child); !valid) return self->send(asker, actors::Refused{chain, valid.error()});
  if (!submission.key.empty() && met_by_key(self, submission, asker)) return;
  if (const auto running = state.running.find(chain); running != state.running.end()) {
    if (!child || running->second.parent != submission.parent) return refuse_taken_id(self, chain, asker);
    // A step of a parent that was rebuilt or slept finds its child at work, and takes the place of the one before.
    auto& waiting = running->second.waiting;
    std::erase(waiting, std::exchange(running->second.step, asker));
    waiting.push_back(asker);
    return;
  }
  if (state.sweep->is_writing(chain)) return self->send(asker, actors::Refused{chain, just_ending(chain)});
  if (state.forks.contains(chain)) return refuse_taken_id(self, chain, asker);
  if (!child) {  // a child's parent lives, so nobody removes them
    if (const auto free = check_not_removed(state, chain); !free) return self->send(asker, actors::Refused{chain, free.error()});
  }
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
  if (submission.only_check) return self->send(asker, actors::Accepted{chain});
  state.packages.put(submission.package->hash, submission.package);
  ChainContext context;
  context.chain = chain;
  context.package = submission.package;
  context.definition = submission.definition;
  context.durability = submission.durability;
  Running running;
  running.parent = submission.parent;
  // The chain above may have got another one since it asked for this child.
  if (const auto above = state.running.find(submission.parent); above != state.running.end())
    submission.priority = above->second.children_priority.value_or(submission.priority);
  running.submitter = submission.keyed ? caf::actor{self} : asker;
  if (child) running.waiting.push_back(running.step = asker);
  const auto spawned = spawn_chain(self, std::move(context), std::move(running), submission.depth);
  if (submission.keyed) {
    begin_keyed(state, submission, asker);
    return self->send(spawned, std::move(submission), caf::actor{self});
  }
  self->send(spawned, std::move(submission), asker);
}

// ---- chains that exist ----------------------------------------------------------------------------------------------

/// Of a chain that does not run: what a person gives in place of a run, or amends, is for a step that can have it. One that runs looks itself.
Result<void> check_given(SupervisorState& state, const actors::Control& control, const engine::ChainState& chain) {
  if (!needs_definition(control)) return {};
  const auto package = state.package_of(chain.package);
  if (!package) return fail(package.error());
  const auto program = (*package)->programs.find(chain.definition);
  if (program == (*package)->programs.end()) return {};  // as of one whose definition cannot be read: it is set aside when it goes on
  const auto prepared = engine::prepare(program->second, control.chain);
  const auto& services = *state.services;
  return check_in_detail(control, **package, {control.chain, prepared, chain, {*services.kv, services.files, services.clock->now()}});
}

/// What is sent again with its key is answered alike, also when the chain has ended over it.
bool answered_before(SupervisorState& state, const actors::Control& control, const engine::ChainState& chain) {
  if (const auto* signal = std::get_if<engine::Signal>(&control.what)) return engine::knows_signal(chain, signal->name, signal->key);
  if (chain.approvals.get().keys.empty() || !std::holds_alternative<engine::Approval>(control.what)) return false;
  const auto package = state.package_of(chain.package);
  if (!package) return false;
  const auto program = (*package)->programs.find(chain.definition);
  return program != (*package)->programs.end() && knows_approval(chain, *program->second, control);
}

void control_chain(SupervisorSelf self, actors::Control control) {
  const auto asker = sender_of(*self);
  if (!control.only_check) count_control(*self->state.services->metrics, control);
  const auto running = self->state.running.find(control.chain);
  if (running != self->state.running.end()) {
    pass_on(self, running->second, control, asker);
    if (std::holds_alternative<engine::Cancel>(control.what) && !control.only_check) cancel_descendants(self, control);
    return;
  }
  if (self->state.sweep->is_writing(control.chain)) return self->send(asker, actors::Refused{control.chain, just_ending(control.chain)});
  if (const auto free = check_not_removed(self->state, control.chain); !free) return self->send(asker, actors::Refused{control.chain, free.error()});
  // What ends a chain makes room.
  if (self->state.memory.closed() && !std::holds_alternative<engine::Cancel>(control.what)) {
    return self->send(asker, actors::Refused{control.chain, self->state.memory.refusal()});
  }
  auto recovered = recover_state(*self->state.services->kv, control.chain);
  if (!recovered) return self->send(asker, actors::Refused{control.chain, recovered.error()});
  if (answered_before(self->state, control, recovered->state)) return self->send(asker, actors::Accepted{control.chain});
  if (const auto fits = check_control(recovered->state, control); !fits) return self->send(asker, actors::Refused{control.chain, fits.error()});
  if (std::holds_alternative<engine::Retry>(control.what)) {
    if (auto fits = prepare_retry(self->state, control, *recovered); !fits)
      return self->send(asker, actors::Refused{control.chain, std::move(fits).error()});
  }
  if (control.only_check) {
    if (auto fits = check_given(self->state, control, recovered->state); !fits)
      return self->send(asker, actors::Refused{control.chain, std::move(fits).error()});
    return self->send(asker, actors::Accepted{control.chain});
  }
  const auto spawned = spawn_recovered(self, control.chain, std::move(*recovered), control.package, FirstControl{control, asker});
  if (!spawned) return self->send(asker, actors::Refused{control.chain, spawned.error()});
}

void resume_chain(SupervisorSelf self, const actors::ResumeChain& resume, const caf::actor& asker) {
  const auto& chain = resume.chain;
  auto& state = self->state;
  if (state.running.contains(chain)) return self->send(asker, actors::Accepted{chain});
  if (state.sweep->is_writing(chain)) return self->send(asker, actors::Refused{chain, just_ending(chain)});
  if (const auto free = check_not_removed(state, chain); !free) return self->send(asker, actors::Refused{chain, free.error()});
  if (resume.by != actors::ResumedBy::person) {
    come_in_turn(self, chain, resume.by);
    return self->send(asker, actors::Accepted{chain});
  }
  if (state.memory.closed()) return self->send(asker, actors::Refused{chain, state.memory.refusal()});
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (auto open = check_unfinished(chain, recovered->state); !open) return self->send(asker, actors::Refused{chain, std::move(open).error()});
  if (resume.only_check) return self->send(asker, actors::Accepted{chain});
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
  const auto& kv = *self->state.services->kv;
  if (const auto removals = self->state.services->removals->of(kv)) {
    if (const auto* end = self->state.ends.find(chain, *removals)) return self->send(asker, *end);
  }
  const auto recovered = recover_state(kv, chain);
  if (!recovered) return self->send(asker, actors::Refused{chain, recovered.error()});
  if (!engine::terminal(recovered->state.status)) {
    return self->send(asker,
                      actors::Refused{chain, make_error(Code::chain_state, fmt::format("chain '{}' does not run; `catena resume {}` goes on with it",
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

/// A chain that began with a key is durable, or never will be: its submitter is told, and the same submissions that came meanwhile find out. False:
/// there is no such chain.
bool settle_keyed(SupervisorSelf self, const ChainId& chain, const Error* error) {
  auto settled = take_keyed(self->state, chain);
  if (!settled) return false;
  if (error == nullptr) {
    self->send(settled->asker, actors::Accepted{chain});
    watch_keys(self);
  } else {
    self->send(settled->asker, actors::Refused{chain, *error});
  }
  for (auto& [submission, asker] : settled->others) take_submission(self, std::move(submission), asker);
  return true;
}

/// There is memory again for chains that were put off.
void go_on_with_deferred(SupervisorSelf self) {
  auto& state = self->state;
  for (std::size_t count = 0; count < kDeferredAtOnce && !state.deferred.empty() && !state.memory.closed(); ++count) {
    auto deferred = state.deferred.extract(state.deferred.begin()).mapped();
    take_submission(self, std::move(deferred.what), deferred.asker);
  }
}

}  // namespace

Result<std::shared_ptr<const lang::Package>> SupervisorState::package_of(const std::string& hash) {
  if (auto known = packages.find(hash)) return known;
  auto package = recover_package(*services->kv, hash, services->catalog);
  if (package) packages.put(hash, *package);
  return package;
}

caf::behavior supervisor(caf::stateful_actor<SupervisorState>* self, std::shared_ptr<Services> services) {
  self->state.services = std::move(services);
  const auto& shared = *self->state.services;
  self->state.families = Families{shared.settings.family_max};
  self->state.memory = MemoryGate{shared.settings.memory_max};
  self->state.sweep.emplace(*shared.kv, *shared.clock);
  if (shared.settings.sleep_after_ms > 0) self->delayed_send(self, std::chrono::milliseconds{shared.settings.sleep_after_ms}, actors::AskIdle{});
  if (shared.resident && shared.settings.memory_max > 0) self->delayed_send(self, kMemoryEvery, actors::MemoryDue{});
  self->send(self, actors::KeysDue{});
  self->set_down_handler([=](const caf::down_msg& down) {
    auto& state = self->state;
    const auto known = state.by_address.find(down.source);
    if (known == state.by_address.end()) return mourn_last_turns(self, down.source) ? void() : mourn_copier(self, down.source);
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
      const actors::Refused refused{running->first, make_error(Code::storage_io, words)};
      for (const auto& waiting : running->second.waiting) self->send(waiting, refused);
      settle_fork(self, refused.chain, &refused.error);
      tell_sweep(self, refused.chain, refused);
      end_running(self, running);
    } else {
      mourn(self, running->first, down.reason);
    }
    tell_berths(self);
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    // Those of chains that have ended, too: what they wait for from the dispatcher does not come any more.
    for (const auto& [address, key] : self->state.by_address) {
      if (const auto coordinator = caf::actor_cast<caf::actor>(address)) self->send_exit(coordinator, caf::exit_reason::user_shutdown);
    }
    end_copiers(self);
    if (self->state.ending.taker) self->send_exit(self->state.ending.taker, caf::exit_reason::user_shutdown);
    self->state.services->supervisor = nullptr;  // the handle would keep this actor alive
    self->quit(exit.reason);
  });
  return {
      [=](actors::Submission& submission) { take_submission(self, std::move(submission), sender_of(*self)); },
      [=](const actors::ResumeChain& resume) { resume_chain(self, resume, sender_of(*self)); },
      [=](const actors::Control& control) { control_chain(self, control); },
      [=](const actors::AwaitChain& await) { await_chain(self, await.chain); },
      [=](const actors::StopAwaiting& stop) { stop_awaiting(self, stop.chain); },
      [=](const actors::AskProgress& ask) {
        // A chain that does not run has no progress; ChainEnded tells the rest.
        const auto running = self->state.running.find(ask.chain);
        if (running != self->state.running.end()) pass_on(self, running->second, ask, sender_of(*self));
      },
      [=](const actors::AskExplain& ask) {
        const auto running = self->state.running.find(ask.chain);
        if (running == self->state.running.end()) return self->send(sender_of(*self), explained_at_rest(self->state, ask));
        pass_on(self, running->second, with_admission(self->state, ask), sender_of(*self));
      },
      [=](const actors::AskQueue& ask) { pass_queue_on(self, ask); },
      [=](const actors::HoldChildren& hold) { hold_children(self, hold); },
      [=](const actors::ChainEnded& message) {
        const auto coordinator = sender_of(*self);
        const auto running = self->state.running.find(message.chain);
        // From one that has died since: the one that takes its place says it again.
        if (running == self->state.running.end() || running->second.coordinator != coordinator) return;
        let_live(self, running->second);
        for (const auto& waiting : running->second.waiting) self->send(waiting, message);
        // Whoever waits for a short chain asks at once; for one that has slept nobody has asked for a while.
        if (!running->second.lead) {
          const auto& known = *self->state.services;
          if (const auto removals = known.removals->of(*known.kv)) self->state.ends.put(message, *removals);
        }
        tell_sweep(self, message.chain, message);
        end_running(self, running);
        // From here on nobody is sent to the coordinator: behind all orders and tickets on their way comes its leave.
        caf::send_as(coordinator, self->state.services->dispatcher, actors::ForgetChain{});
      },
      [=](const actors::Durable& durable) {
        rebuild_after(self, durable.commit);
        answer_swept(self, durable.commit);
        end_last_turns(self, durable.commit);
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
      [=](const actors::RemoveChains& remove) { remove_chains(self, remove); },
      [=](const actors::RemovalsOver& over) {
        for (const auto& chain : over.chains) self->state.removing.erase(chain);
      },
      [=](const actors::TakeGauges&) {
        set_gauges(*self->state.services->metrics, self->state);
        caf::send_as(sender_of(*self), self->state.services->dispatcher, actors::TakeGauges{});  // it answers when it has taken its own
      },
      [=](const actors::AskIdle&) { ask_for_idle(self); },
      [=](const actors::Idle& idle) { put_to_sleep(self, idle); },
      [=](const actors::StaysAwake& awake) {
        const auto running = self->state.running.find(awake.chain);
        if (running != self->state.running.end() && running->second.coordinator == sender_of(*self)) let_live(self, running->second);
      },
      [=](const actors::WakeChain& chain) { wake_now(self, chain.key); },
      [=](const actors::AlarmDue& alarm) { wake_due(self, alarm); },
      [=](const actors::LastTurnsTaken& taken) { write_last_turns(self, *taken.turns); },
      [=](const actors::MemoryDue&) {
        read_memory(self);
        go_on_with_deferred(self);
        self->delayed_send(self, kMemoryEvery, actors::MemoryDue{});
      },
      // What became of chains that were put off or have a key, and of orders of its own.
      [=](const actors::Accepted& accepted) {
        if (const auto at = self->state.running.find(accepted.chain); at != self->state.running.end()) has_come(self, at->second.key);
        if (!settle_fork(self, accepted.chain, nullptr)) settle_keyed(self, accepted.chain, nullptr);
      },
      [=](const actors::ForkChain& fork) { fork_chain(self, fork, sender_of(*self)); },
      [=](const actors::ForkCopied& copied) { begin_fork(self, copied); },
      [=](const actors::ForkFailed& failed) { settle_fork(self, failed.chain, &failed.error, failed.copied); },
      [=](const actors::KeysDue&) { forget_expired_keys(self); },
      [=](const actors::Refused& refused) {
        if (settle_fork(self, refused.chain, &refused.error) || settle_keyed(self, refused.chain, &refused.error)) return;
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
