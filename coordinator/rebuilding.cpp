#include "coordinator/rebuilding.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

#include "coordinator/cancelling.hpp"
#include "coordinator/forking.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/sleeping.hpp"
#include "coordinator/spawning.hpp"
#include "coordinator/strikes.hpp"
#include "coordinator/watched_reads.hpp"

namespace catena::coordinator {
namespace {

using Place = std::map<ChainId, SupervisorState::Running>::iterator;

constexpr std::uint32_t kRebuildsMax = 3;

Error died(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  return make_error(Code::internal, fmt::format("the coordinator of chain '{}' died: {}", chain.value, self->system().render(reason)));
}

/// It stays among those that run. Who asked it something is told; what the supervisor ordered itself waits for it.
void put_off(SupervisorSelf self, Place at, const Error& error) {
  auto& running = at->second;
  if (running.unread++ == 0)
    log_line(self->state, fmt::format("chain '{}' cannot be read at the moment, and this is tried again: {}", at->first.value, error.message));
  running.life = SupervisorState::Life::wakes;
  has_come(self, running.key);  // others need not wait for this one
  std::erase_if(running.kept, [&](const auto& kept) {
    if (kept.first.address() == self->address()) return false;
    self->send(kept.first, actors::Refused{at->first, error});
    return true;
  });
  self->delayed_send(self, reading_pause(running.unread), actors::WakeChain{running.key});
}

/// It does not come back.
void abandon(SupervisorSelf self, Place at, const Error& error) {
  const auto chain = at->first;
  const auto running = std::move(at->second);
  self->state.running.erase(at);
  if (running.start) log_line(self->state, render(error));  // who started it waits for nothing
  for (const auto& waiting : running.waiting) self->send(waiting, actors::Refused{chain, error});
  tell_sweep(self, chain, actors::Refused{chain, error});
  leave_family(self, running);
  for (const auto& [asker, what] : running.kept) self->send(asker, actors::Refused{chain, error});
  // It died before anything was durable, so its submitter has no answer yet.
  if (running.submitter && error.code == Code::chain_not_found) {
    self->send(running.submitter, actors::Refused{chain, died(self, chain, running.death)});
  } else {
    settle_fork(self, chain, &error, false);
  }
}

/// A strike against a chain that was live at an unclean end, recorded before it is gone on with. Error: it is the last one.
Result<void> count_strike(SupervisorSelf self, Recovered& recovered) {
  const auto& services = *self->state.services;
  const storage::IndexedAs old{recovered.summary.status, recovered.summary.started_at, recovered.summary.name};
  auto set_aside = strike_against(recovered.summary, services.kv->epoch(), recovered.state);
  auto batch = std::make_shared<storage::Batch>();
  if (auto put = storage::put_summary(*batch, recovered.summary, old); !put) return put;
  self->send(services.journal, actors::Commit{std::move(batch), storage::Durability::sync, 0});
  if (set_aside) return fail(std::move(*set_aside));
  return {};
}

/// What a start looks at before it goes on with a chain. However often it is read, that is one strike.
Result<void> check_start(SupervisorSelf self, const ChainId& chain, SupervisorState::Running& running, Recovered& recovered) {
  if (!running.start) return {};
  if (auto open = check_unfinished(chain, recovered.state); !open) return open;
  if (*running.start != actors::ResumedBy::unclean_start) return {};
  running.start = actors::ResumedBy::start;
  return count_strike(self, recovered);
}

/// From what it left in memory, or from its records; whoever waits for it, and its place in its family, stay what they were.
Result<void> begin_again(SupervisorSelf self, const ChainId& chain, SupervisorState::Running& before, const Resting* rest) {
  SupervisorState::Running running;
  running.rebuilt = before.rebuilt;
  running.unread = before.unread;
  running.step = before.step;
  running.waiting = before.waiting;
  running.key = before.key;
  running.lead = before.lead;
  if (rest != nullptr) return spawn_rested(self, chain, *rest, std::move(running)).map([](const caf::actor&) {});
  auto recovered = recover_state(*self->state.services->kv, chain);
  if (!recovered) return fail(recovered.error());
  if (auto goes_on = check_start(self, chain, before, *recovered); !goes_on) return goes_on;
  const auto spawned = spawn_recovered(self, chain, std::move(*recovered), nullptr, std::nullopt, std::move(running));
  if (!spawned) return fail(spawned.error());
  return {};
}

void bring_back(SupervisorSelf self, Place at) {
  const auto rest = take_rest(self->state, at->second);
  auto before = at->second;
  const auto back = begin_again(self, at->first, before, rest.get());
  if (!back) at->second.start = before.start;
  if (!back && back.error().code == Code::storage_io) return put_off(self, at, back.error());
  if (!back) return abandon(self, at, back.error());
  // It may have died with its submitter's answer, and it is durable.
  if (self->state.keyed_chains.contains(at->first) || self->state.forks.contains(at->first)) self->send(self, actors::Accepted{at->first});
  for (const auto& [asker, what] : before.kept) pass_on(self, at->second, what, asker);
}

/// It goes on when there is memory again, and is looked at as often as others then.
void wait_for_memory(SupervisorSelf self, SupervisorState::Running& running) {
  constexpr UnixMillis kAgainAfter = 250;
  auto& state = self->state;
  running.life = SupervisorState::Life::sleeps;
  ++state.asleep;
  running.due = state.services->clock->now() + kAgainAfter;
  state.alarms.emplace(running.due, running.key);
  has_come(self, running.key);
}

}  // namespace

Millis reading_pause(std::uint32_t failures) {
  constexpr std::int64_t kLeastMs = 50;
  constexpr std::int64_t kMostMs = 10'000;
  constexpr std::uint32_t kDoublingsMax = 8;
  return Millis{std::min(kLeastMs << std::min(failures - std::min(failures, 1U), kDoublingsMax), kMostMs)};
}

void mourn(SupervisorSelf self, const ChainId& chain, const caf::error& reason) {
  auto& state = self->state;
  auto& running = state.running.at(chain);
  running.coordinator = nullptr;
  running.life = SupervisorState::Life::lives;
  running.lead.reset();
  take_rest(state, running);
  running.death = reason;
  state.families.falter(running.key);
  state.deaths.emplace(++state.last_commit, chain);
  self->send(state.services->journal, actors::Commit{std::make_shared<storage::Batch>(), storage::Durability::none, state.last_commit});
}

void rebuild_after(SupervisorSelf self, actors::CommitNumber commit) {
  const auto death = self->state.deaths.extract(commit);
  if (death.empty()) return;
  const auto at = self->state.running.find(death.mapped());
  if (at == self->state.running.end()) return;
  auto& running = at->second;
  // A read that failed is no defect of the chain: it does not count, however often that happens.
  if (is_unread(running.death)) {
    if (running.unread > 0) return put_off(self, at, make_error(Code::storage_io, self->system().render(running.death)));
    ++running.unread;
  } else if (++running.rebuilt > kRebuildsMax) {
    return abandon(self, at, died(self, at->first, running.death));
  }
  bring_back(self, at);
}

void wake_now(SupervisorSelf self, ChainKey key) {
  const auto known = self->state.by_key.find(key);
  if (known == self->state.by_key.end() || known->second->second.life != SupervisorState::Life::wakes) return;
  auto& running = known->second->second;
  if (running.start && running.kept.empty() && self->state.memory.closed()) return wait_for_memory(self, running);
  bring_back(self, known->second);
  tell_berths(self);
}

void come_in_turn(SupervisorSelf self, const ChainId& chain, actors::ResumedBy by) {
  auto& state = self->state;
  SupervisorState::Running running;
  running.key = ++state.last_key;
  running.life = SupervisorState::Life::sleeps;
  running.start = by;
  running.due = state.services->clock->now();
  const auto at = state.running.insert_or_assign(chain, std::move(running)).first;
  const auto key = at->second.key;
  state.by_key[key] = at;
  ++state.asleep;
  state.families.begin({key, 0, family_of(chain), 0, 0});
  state.alarms.emplace(at->second.due, key);
  wake_due(self, actors::AlarmDue{state.alarm});
}

Result<void> check_unfinished(const ChainId& chain, const engine::ChainState& state) {
  if (!engine::terminal(state.status) && state.status != engine::ChainStatus::quarantined) return {};
  return fail(Code::chain_state, fmt::format("chain '{}' is {}: there is nothing to resume", chain.value, engine::name(state.status)));
}

}  // namespace catena::coordinator
