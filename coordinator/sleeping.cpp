#include "coordinator/sleeping.hpp"

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <utility>

#include "base/overloads.hpp"
#include "coordinator/cancelling.hpp"
#include "coordinator/explaining.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/spawning.hpp"
#include "coordinator/submission_checks.hpp"

namespace catena::coordinator {
namespace {

/// Chains that are due at one moment come back so many at a time, and where one has gone on the next follows: what else runs waits for no more than
/// these, and there are enough of them for a commit to be shared by many.
constexpr std::size_t kWokenAtOnce = 16;
/// Those that may end in one turn are decided so many together, and so many times that many are on their way: the commit under way, which others wait
/// for, has few of them in it, and the disk always has the next.
constexpr std::size_t kEndTogether = 8;
constexpr std::size_t kEndingAtOnce = 4;
/// Where memory is short so many come back and no more until then, as few begin; none would be too few, as others may wait for their ends.
constexpr UnixMillis kWokenWhenShortEvery = 250;

void send_to(SupervisorSelf self, const SupervisorState::Running& running, SupervisorState::ForChain what, const caf::actor& asker) {
  std::visit([&](auto& message) { self->send(running.coordinator, std::move(message), asker); }, what);
}

/// Children of a chain that the supervisor knows; their ids begin with its own.
std::size_t known_children(const SupervisorState& state, const ChainId& chain) {
  const auto below = chain.value + "/";
  std::size_t children = 0;
  for (auto at = state.running.lower_bound(ChainId{below}); at != state.running.end() && at->first.value.starts_with(below); ++at)
    children += at->second.parent == chain ? 1 : 0;
  return children;
}

void keep_rest(SupervisorState& state, SupervisorState::Running& running, const std::shared_ptr<const Resting>& rest) {
  if (!rest || state.memory.closed() || state.resting_bytes + bytes_of(*rest) > state.services->settings.resting_max) return;
  state.resting_bytes += bytes_of(*rest);
  running.rest = rest;
}

bool all_ending(const SupervisorState& state) { return state.ending.asked.size() + state.ending.written.size() >= kEndingAtOnce; }

void set_alarm(SupervisorSelf self) {
  auto& state = self->state;
  if (state.alarms.empty() || state.coming.size() >= kWokenAtOnce || all_ending(state)) return;  // the next follows when one of these has gone on
  const auto& settings = state.services->settings;
  const auto at = state.services->clock->now();
  const auto due = state.alarms.begin()->first;
  auto span = due > at ? due - at : state.memory.closed() ? kWokenWhenShortEvery : 1;
  if (settings.timer_ms_max > 0) span = std::min(span, settings.timer_ms_max);
  if (state.alarm > at && state.alarm <= at + span) return;
  state.alarm = at + span;
  self->delayed_send(self, std::chrono::milliseconds{span}, actors::AlarmDue{state.alarm});
}

}  // namespace

void ask_for_idle(SupervisorSelf self) {
  const auto& state = self->state;
  for (const auto& [address, key] : state.by_address) {  // of those that sleep nobody is there
    const auto known = state.by_key.find(key);
    if (known == state.by_key.end()) continue;
    const auto& running = known->second->second;
    if (running.life == SupervisorState::Life::lives && running.coordinator) self->send(running.coordinator, actors::AskIdle{});
  }
  self->delayed_send(self, std::chrono::milliseconds{state.services->settings.sleep_after_ms}, actors::AskIdle{});
}

void put_to_sleep(SupervisorSelf self, const actors::Idle& idle) {
  auto& state = self->state;
  const auto running = state.running.find(idle.chain);
  if (running == state.running.end() || running->second.coordinator != sender_of(*self) || running->second.life != SupervisorState::Life::lives)
    return;
  if (known_children(state, idle.chain) != idle.children) return;
  running->second.life = SupervisorState::Life::dozes;
  running->second.due = idle.due;
  running->second.lead = idle.lead;
  keep_rest(state, running->second, idle.rest);
  self->send(running->second.coordinator, actors::FallAsleep{});
}

void let_live(SupervisorSelf self, SupervisorState::Running& running) {
  auto& state = self->state;
  if (running.life != SupervisorState::Life::dozes) return;
  running.life = SupervisorState::Life::lives;
  running.wanted = false;
  take_rest(state, running);
  for (auto& [asker, what] : std::exchange(running.kept, {})) send_to(self, running, std::move(what), asker);
}

void fall_asleep(SupervisorSelf self, SupervisorState::Running& running) {
  auto& state = self->state;
  running.coordinator = nullptr;
  running.life = SupervisorState::Life::sleeps;
  ++state.asleep;
  running.unread = 0;
  state.families.falter(running.key);
  if (std::exchange(running.wanted, false) || !running.kept.empty()) return wake(self, running);
  if (running.due == 0) return;
  state.alarms.emplace(running.due, running.key);
  set_alarm(self);
}

std::shared_ptr<const Resting> take_rest(SupervisorState& state, SupervisorState::Running& running) {
  if (running.rest) state.resting_bytes -= bytes_of(*running.rest);
  return std::exchange(running.rest, nullptr);
}

void forget_resting(SupervisorState& state) {
  for (auto& [chain, running] : state.running) take_rest(state, running);
}

void pass_on(SupervisorSelf self, SupervisorState::Running& running, SupervisorState::ForChain what, const caf::actor& asker) {
  if (running.life == SupervisorState::Life::lives && running.coordinator) return send_to(self, running, std::move(what), asker);
  running.kept.emplace_back(asker, std::move(what));
  wake(self, running);
}

void wake(SupervisorSelf self, SupervisorState::Running& running) {
  switch (running.life) {
    case SupervisorState::Life::lives:
    case SupervisorState::Life::wakes:
    case SupervisorState::Life::ends: return;
    case SupervisorState::Life::dozes: running.wanted = true; return;
    case SupervisorState::Life::sleeps:
      running.life = SupervisorState::Life::wakes;
      --self->state.asleep;
      if (running.due != 0) self->state.alarms.erase({running.due, running.key});
      self->send(self, actors::WakeChain{running.key});
  }
}

namespace {

/// Whether its next turn may be decided without a coordinator of its own.
bool may_end(const SupervisorState& state, const SupervisorState::Running& running) {
  const bool rests = running.life == SupervisorState::Life::sleeps && running.rest && running.lead;
  if (!rests || !running.rest->only_computes || !running.kept.empty() || !state.services->settings.webhooks.empty()) return false;
  if (running.parent.empty()) return true;
  const auto above = state.running.find(running.parent);
  return above != state.running.end() && !above->second.start && !above->second.holds_children;
}

void ask_for_last_turns(SupervisorSelf self, std::vector<actors::TakeLastTurns::Chain> chains) {
  if (chains.empty()) return;
  auto& ending = self->state.ending;
  // on a thread of its own: the scheduler's threads are for chains that somebody waits for
  if (!ending.taker) {
    ending.taker = self->state.services->own_threads ? self->spawn<caf::monitored + caf::detached>(last_turns, self->state.services)
                                                     : self->spawn<caf::monitored>(last_turns, self->state.services);
  }
  auto& asked = ending.asked.emplace_back();
  for (const auto& chain : chains) asked.push_back(chain.key);
  self->send(ending.taker, actors::TakeLastTurns{std::move(chains)});
}

/// What came for it meanwhile came too late.
void end_asleep(SupervisorSelf self, std::map<ChainId, SupervisorState::Running>::iterator at, const actors::ChainEnded& end) {
  const auto kept = std::exchange(at->second.kept, {});
  for (const auto& waiting : at->second.waiting) self->send(waiting, end);
  tell_sweep(self, end.chain, end);
  end_running(self, at);
  for (const auto& came : kept) {
    const auto& asker = came.first;
    std::visit(Overloads{
                   [&](const actors::Control&) {
                     self->send(asker, actors::Refused{end.chain, just_ending(end.chain)});
                   },
                   [&](const actors::AskExplain& ask) { self->send(asker, explained_at_rest(self->state, ask)); },
                   [](const actors::AskProgress&) {},  // of a chain that does not run there is none
               },
               came.second);
  }
}

void come_with_coordinator(SupervisorSelf self, ChainKey key) {
  const auto known = self->state.by_key.find(key);
  if (known == self->state.by_key.end()) return;
  known->second->second.life = SupervisorState::Life::wakes;
  self->state.coming.insert(key);
  self->send(self, actors::WakeChain{key});
}

void wake_those_due(SupervisorSelf self) {
  auto& state = self->state;
  const auto at = state.services->clock->now();
  std::vector<actors::TakeLastTurns::Chain> ending;
  while (!state.alarms.empty() && state.alarms.begin()->first <= at && state.coming.size() < kWokenAtOnce && !all_ending(state)) {
    const auto key = state.alarms.extract(state.alarms.begin()).value().second;
    const auto known = state.by_key.find(key);
    if (known == state.by_key.end()) continue;
    auto& [chain, running] = *known->second;
    if (!may_end(state, running)) {
      state.coming.insert(key);
      wake(self, running);
      continue;
    }
    running.life = SupervisorState::Life::ends;
    --state.asleep;
    ending.push_back({key, chain, running.rest, *running.lead});
    if (ending.size() == kEndTogether) ask_for_last_turns(self, std::exchange(ending, {}));
  }
  ask_for_last_turns(self, std::move(ending));
  set_alarm(self);
}

void go_on_waking(SupervisorSelf self) {
  if (self->state.memory.closed()) return set_alarm(self);
  wake_those_due(self);
}

}  // namespace

void wake_due(SupervisorSelf self, const actors::AlarmDue& alarm) {
  if (alarm.due != self->state.alarm) return;  // an earlier one took its place
  self->state.alarm = 0;
  wake_those_due(self);
}

void has_come(SupervisorSelf self, ChainKey chain) {
  if (self->state.coming.erase(chain) > 0) go_on_waking(self);
}

void write_last_turns(SupervisorSelf self, LastTurns& turns) {
  auto& state = self->state;
  state.ending.asked.pop_front();
  if (turns.batch) {
    state.ending.written.emplace(++state.last_commit, std::move(turns.ended));
    self->send(state.services->journal, actors::Commit{std::move(turns.batch), turns.durability, state.last_commit, false, std::move(turns.notices)});
  }
  for (const auto key : turns.others) come_with_coordinator(self, key);
  if (turns.batch == nullptr) go_on_waking(self);
}

void end_last_turns(SupervisorSelf self, actors::CommitNumber commit) {
  auto& state = self->state;
  const auto written = state.ending.written.extract(commit);
  if (written.empty()) return;
  for (const auto& [key, end] : written.mapped()) {
    const auto known = state.by_key.find(key);
    if (known != state.by_key.end()) end_asleep(self, known->second, end);
  }
  go_on_waking(self);
}

bool mourn_last_turns(SupervisorSelf self, const caf::actor_addr& dead) {
  auto& ending = self->state.ending;
  if (!ending.taker || ending.taker.address() != dead) return false;
  ending.taker = nullptr;
  for (const auto& asked : std::exchange(ending.asked, {})) {
    for (const auto key : asked) come_with_coordinator(self, key);
  }
  return true;
}

}  // namespace catena::coordinator
