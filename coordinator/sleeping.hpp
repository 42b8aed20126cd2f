#pragma once
// Chains that only wait - for a child, a timer or a person - leave memory: their coordinator ends, and what is left is an entry of the supervisor.
// Whatever is sent to such a chain, the end of a child or its next timer brings it back from its records, like one that died. The supervisor asks
// all chains now and then; a chain is put to sleep when nothing has come to it since the time before.
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {

/// Asks every chain that lives whether it only waits, and sets the timer for the next time.
void ask_for_idle(SupervisorSelf self);
/// The answer of one. It is told to sleep when each child that it waits for is known here, and would wake it.
void put_to_sleep(SupervisorSelf self, const actors::Idle& idle);
/// A chain that was told to sleep has met something meanwhile.
void let_live(SupervisorSelf self, SupervisorState::Running& running);
/// The coordinator of a chain that was told to sleep has ended. What came for it meanwhile wakes it again.
void fall_asleep(SupervisorSelf self, SupervisorState::Running& running);

/// What a chain has left in memory is given up, or taken to bring it back.
std::shared_ptr<const Resting> take_rest(SupervisorState& state, SupervisorState::Running& running);
/// There is no memory for that.
void forget_resting(SupervisorState& state);

/// Sends a chain what came for it, or keeps that until it is back.
void pass_on(SupervisorSelf self, SupervisorState::Running& running, SupervisorState::ForChain what, const caf::actor& asker);
/// A chain that sleeps is to come back: nothing else happens in this turn.
void wake(SupervisorSelf self, SupervisorState::Running& running);
/// Wakes those whose time has come, or where these are many a part of them, and sets the timer for the next.
void wake_due(SupervisorSelf self, const actors::AlarmDue& alarm);
/// One of those has gone on, and that is durable; or it does not come back.
void has_come(SupervisorSelf self, ChainKey chain);
/// Of those, what was decided of some that may end in one turn: it is written, and the others come back as they would have.
void write_last_turns(SupervisorSelf self, LastTurns& turns);
/// That is durable: they have ended.
void end_last_turns(SupervisorSelf self, actors::CommitNumber commit);
/// Whoever decided it has died of one of them: they all come back with coordinators of their own. False: it is another who died.
bool mourn_last_turns(SupervisorSelf self, const caf::actor_addr& dead);

}  // namespace catena::coordinator
