#include "coordinator/order_trace.hpp"

#include <utility>
#include <variant>

namespace catena::coordinator {
namespace {

bool are_branches(const StepContext& context, const lang::Step& step) {
  const auto* call = std::get_if<lang::ProgramCall>(&step.call);
  if (call == nullptr) return false;
  const auto program = context.package->programs.find(call->definition);
  return program != context.package->programs.end() && program->second->block && program->second->block->branches;
}

}  // namespace

void put_trace(const StepContext& context, const actors::RunGrant& run, actors::WorkOrder& order) {
  auto trace = chain_trace(context.chain, run.trace);
  order.trace = std::move(trace.id);
  order.trace_flags = trace.flags;
  order.trace_part = trace.part;
  order.tracestate = std::move(trace.state);
}

TraceContext trace_of_child(const StepContext& context, const actors::RunGrant& run, ItemIndex item, Attempt attempt) {
  const auto& step = context.program->steps[context.visit.step];
  auto trace = chain_trace(context.chain, run.trace);
  auto span = attempt_span(trace, context.chain, step.id, context.visit.visit, item, attempt);
  const bool given = !run.trace.context.parent.empty() && !run.trace.context.linked;
  const bool linked = !given || (step.each && !are_branches(context, step));
  return {traceparent_of({trace.id, std::move(span), trace.flags}), linked ? std::string{} : std::move(trace.state), linked};
}

}  // namespace catena::coordinator
