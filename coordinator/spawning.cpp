#include "coordinator/spawning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <utility>

#include "coordinator/ended_states.hpp"
#include "coordinator/sleeping.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint64_t kSpawnsPerReading = 512;

}  // namespace

// ---- families and memory --------------------------------------------------------------------------------------------

ChainKey key_of(const SupervisorState& state, const ChainId& chain) {
  const auto running = state.running.find(chain);
  return running == state.running.end() ? 0 : running->second.key;
}

void log_line(const SupervisorState& state, const std::string& line) {
  if (state.services->log) state.services->log(line);
}

void tell_berths(SupervisorSelf self) {
  for (const auto& answer : self->state.families.answer_waiting()) {
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
  if (state.memory.closed()) forget_resting(state);
  state.families.set_spawning(state.memory.closed() ? Families::Spawning::closed : Families::Spawning::open);
  tell_berths(self);
}

void leave_family(SupervisorSelf self, const SupervisorState::Running& running) {
  auto& state = self->state;
  state.by_key.erase(running.key);
  has_come(self, running.key);
  if (running.life == SupervisorState::Life::sleeps) --state.asleep;
  if (running.rest) state.resting_bytes -= bytes_of(*running.rest);
  state.families.end(running.key, running.waiting.empty() ? Families::Heard::by_nobody : Families::Heard::by_parent);
  if (const auto parent = state.running.find(running.parent); parent != state.running.end()) wake(self, parent->second);
}

void end_running(SupervisorSelf self, std::map<ChainId, SupervisorState::Running>::iterator at) {
  const auto running = std::move(at->second);
  self->state.running.erase(at);
  leave_family(self, running);
  tell_berths(self);
}

// ---- chains come to life --------------------------------------------------------------------------------------------

caf::actor spawn_chain(SupervisorSelf self, ChainContext context, SupervisorState::Running running, std::uint32_t depth, std::uint32_t earlier) {
  auto& state = self->state;
  if (++state.spawned % kSpawnsPerReading == 0) read_memory(self);
  const auto chain = context.chain;
  if (state.services->ended_states) state.services->ended_states->drop(chain);
  const auto above = state.running.find(running.parent);
  if (above != state.running.end() && !above->second.start) context.held = above->second.holds_children;
  running.told_held = context.held;
  running.has_final_steps = std::ranges::any_of(context.package->programs.at(context.definition)->steps, &lang::Step::finally);
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

namespace {

/// A retry may go on with another.
std::string definition_for(const engine::ChainState& state, const std::optional<FirstControl>& first) {
  const auto* retry = first ? std::get_if<engine::Retry>(&first->control.what) : nullptr;
  return retry == nullptr || retry->definition.empty() ? state.definition : retry->definition;
}

/// A retry's definition may have more steps than the chain's records.
Result<void> check_program(const ChainId& chain, const engine::ChainState& state, const lang::Package& package, const std::string& definition) {
  const auto program = package.programs.find(definition);
  const bool whole = package.hash == state.package && definition == state.definition;
  const auto had = state.steps.size();
  if (program != package.programs.end() && (whole ? program->second->steps.size() == had : program->second->steps.size() >= had)) return {};
  return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", chain.value));
}

/// `context` has what is known of the chain.
Result<caf::actor> spawn_again(SupervisorSelf self, ChainContext context, SupervisorState::Running running) {
  if (!context.package) {
    auto loaded = self->state.package_of(context.state.package);
    if (!loaded) return fail(loaded.error());
    context.package = std::move(*loaded);
  }
  context.definition = definition_for(context.state, context.first);
  if (const auto fits = check_program(context.chain, context.state, *context.package, context.definition); !fits) return fail(fits.error());
  context.lead = running.lead;
  context.was_due = self->state.coming.contains(running.key);
  running.parent = context.state.parent;
  running.holds_children = context.state.status == engine::ChainStatus::paused;
  const auto depth = context.state.depth;
  std::uint32_t earlier = 0;
  for (const auto& [id, grant] : context.state.grants) earlier += grant.worker == kChainsWorker ? grant.open.size() : 0;
  return spawn_chain(self, std::move(context), std::move(running), depth, earlier);
}

}  // namespace

Result<caf::actor> spawn_rested(SupervisorSelf self, const ChainId& chain, const Resting& rest, SupervisorState::Running running) {
  auto state = engine::decode_state(rest.state);
  if (!state) return fail(std::move(state).error());
  ChainContext context;
  context.chain = chain;
  context.state = std::move(*state);
  context.listed = rest.listed;
  context.checkpointed = rest.checkpointed;
  context.noted = false;
  return spawn_again(self, std::move(context), std::move(running));
}

Result<caf::actor> spawn_recovered(SupervisorSelf self, const ChainId& chain, Recovered recovered, std::shared_ptr<const lang::Package> package,
                                   std::optional<FirstControl> first, SupervisorState::Running running) {
  ChainContext context;
  context.chain = chain;
  context.package = std::move(package);
  context.listed = listed_of(recovered.summary);
  context.state = std::move(recovered.state);
  context.checkpointed = recovered.checkpointed;
  context.first = std::move(first);
  return spawn_again(self, std::move(context), std::move(running));
}

}  // namespace catena::coordinator
