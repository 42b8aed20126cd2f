#include "coordinator/spawning.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <utility>

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
  state.families.set_spawning(state.memory.closed() ? Families::Spawning::closed : Families::Spawning::open);
  tell_berths(self);
}

void leave_family(SupervisorSelf self, const SupervisorState::Running& running) {
  auto& state = self->state;
  state.by_key.erase(running.key);
  state.families.end(running.key, running.waiting.empty() ? Families::Heard::by_nobody : Families::Heard::by_parent);
  if (const auto parent = state.running.find(running.parent); parent != state.running.end()) wake(self, parent->second);
}

// ---- chains come to life --------------------------------------------------------------------------------------------

caf::actor spawn_chain(SupervisorSelf self, ChainContext context, SupervisorState::Running running, std::uint32_t depth, std::uint32_t earlier) {
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

Result<caf::actor> spawn_recovered(SupervisorSelf self, const ChainId& chain, Recovered recovered, std::shared_ptr<const lang::Package> package,
                                   std::optional<FirstControl> first, SupervisorState::Running running) {
  if (!package) {
    auto loaded = self->state.package_of(recovered.state.package);
    if (!loaded) return fail(loaded.error());
    package = std::move(*loaded);
  }
  if (const auto program = program_of(chain, recovered.state, *package); !program) return fail(program.error());
  ChainContext context;
  context.chain = chain;
  context.package = std::move(package);
  context.definition = recovered.state.definition;
  context.durability = durability_of(recovered.summary);
  context.priority = priority_of(recovered.summary);
  context.summary = std::move(recovered.summary);
  context.state = std::move(recovered.state);
  context.first = std::move(first);
  context.lead = running.lead;
  running.parent = context.state.parent;
  const auto depth = context.state.depth;
  std::uint32_t earlier = 0;
  for (const auto& [id, grant] : context.state.grants) earlier += grant.worker == kChainsWorker ? grant.open.size() : 0;
  return spawn_chain(self, std::move(context), std::move(running), depth, earlier);
}

}  // namespace catena::coordinator
