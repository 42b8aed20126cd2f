#pragma once
// How the supervisor starts the actors of chains, and what it tells families of that.
#include <optional>
#include <string>

#include "coordinator/recover.hpp"
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

void log_line(const SupervisorState& state, const std::string& line);
/// 0 when the chain does not run.
[[nodiscard]] ChainKey key_of(const SupervisorState& state, const ChainId& chain);
/// Chains that wait for berths get those that there are now.
void tell_berths(SupervisorSelf self);
/// Closes or opens spawning, by the memory of the process.
void read_memory(SupervisorSelf self);
/// A chain lives no longer: its parent has that to deal with.
void leave_family(SupervisorSelf self, const SupervisorState::Running& running);
/// Its coordinator has said so, or has ended without a word because it was stopped; or it has ended without one.
void end_running(SupervisorSelf self, std::map<ChainId, SupervisorState::Running>::iterator at);

caf::actor spawn_chain(SupervisorSelf self, ChainContext context, SupervisorState::Running running, std::uint32_t depth, std::uint32_t earlier = 0);
/// The actor of a chain that comes back from what it has left in memory. Errors: as of spawn_recovered.
[[nodiscard]] Result<caf::actor> spawn_rested(SupervisorSelf self, const ChainId& chain, const Resting& rest, SupervisorState::Running running);
/// The actor of a chain that has records, with an order to begin with. Errors: storage_corrupt, and those of package_of.
[[nodiscard]] Result<caf::actor> spawn_recovered(SupervisorSelf self, const ChainId& chain, Recovered recovered,
                                                 std::shared_ptr<const lang::Package> package, std::optional<FirstControl> first,
                                                 SupervisorState::Running running = {});

}  // namespace catena::coordinator
