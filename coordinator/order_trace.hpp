#pragma once
// Where attempts stand in the trace of their chain: what an order says of it, and what a child chain is started with.
#include "actors/messages.hpp"
#include "actors/protocol.hpp"
#include "base/trace_context.hpp"
#include "coordinator/step_actor.hpp"

namespace catena::coordinator {

void put_trace(const StepContext& context, const actors::RunGrant& run, actors::WorkOrder& order);

/// A visit that starts child chains, and where its chain stands in its trace.
struct Starts {
  const ChainId& chain;
  const lang::Package& package;
  const lang::Step& step;
  VisitId visit;
  const ChainTrace& trace;      // of the chain that starts it
  const TraceContext& context;  // with which that began
};
/// A trace that somebody gave goes on in child chains, but for those of the items of a fan-out, which may be many. All others begin one of their
/// own, with a link.
[[nodiscard]] TraceContext trace_of_child(const Starts& starts, ItemIndex item, Attempt attempt);

}  // namespace catena::coordinator
