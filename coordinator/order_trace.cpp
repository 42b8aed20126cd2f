#include "coordinator/order_trace.hpp"

#include <utility>
#include <variant>

namespace catena::coordinator {
namespace {

bool are_branches(const lang::Package& package, const lang::Step& step) {
  const auto* call = std::get_if<lang::ProgramCall>(&step.call);
  if (call == nullptr) return false;
  const auto program = package.programs.find(call->definition);
  return program != package.programs.end() && program->second->block && program->second->block->branches;
}

}  // namespace

void put_trace(const StepContext& context, const actors::RunGrant& run, actors::WorkOrder& order) {
  auto trace = chain_trace(context.chain, run.trace);
  order.trace = std::move(trace.id);
  order.trace_flags = trace.flags;
  order.trace_part = trace.part;
  order.tracestate = std::move(trace.state);
}

TraceContext trace_of_child(const Starts& starts, ItemIndex item, Attempt attempt) {
  const auto& trace = starts.trace;
  auto span = attempt_span(trace, starts.chain, starts.step.id, starts.visit.visit, item, attempt);
  const bool given = !starts.context.parent.empty() && !starts.context.linked;
  const bool linked = !given || (starts.step.each && !are_branches(starts.package, starts.step));
  return {traceparent_of({trace.id, std::move(span), trace.flags}), linked ? std::string{} : trace.state, linked};
}

}  // namespace catena::coordinator
