#pragma once
// What people look through that waits for approval: a row of the store for each step, in the commit of the event that changes it.
#include "base/ids.hpp"
#include "engine/engine.hpp"
#include "lang/program/program.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Writes the rows that the event changes; `state` is that behind it.
void list_approvals(storage::Batch& batch, const engine::Event& event, const ChainId& chain, const lang::Program& program,
                    const engine::ChainState& state);

}  // namespace catena::coordinator
