#include "coordinator/computing.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/evaluation.hpp"
#include "coordinator/step_actor.hpp"

namespace catena::coordinator {

bool computes_here(const ComputingTools* tools, const lang::Program& program, const engine::ChainState& state, StepIndex index,
                   const engine::Need& need) {
  if (tools == nullptr) return false;
  const auto& step = program.steps[index];
  const auto* call = std::get_if<lang::ToolCall>(&step.call);
  return call != nullptr && !step.each && need.labels.empty() && tools->has(call->endpoint) && !state.steps[index].arguments.in_blob() &&
         !response_reads_store(program, state, index);
}

namespace {

engine::ItemReport report_of(Result<lang::JsonText> response, const GrantedHere& granted, Records& records) {
  engine::ItemReport report;
  const auto failed = [&](Error error) {
    report.outcome = engine::Outcome::failed;
    report.error = std::move(error);
    return report;
  };
  if (!response) return failed(std::move(response).error());
  ChainScope scope{granted.sources, granted.chain, granted.program, granted.state};
  auto answered = evaluate_response(granted.program, granted.step, scope, std::move(*response), records);
  if (!answered) return failed(std::move(answered).error());
  report.response = records.write(std::move(answered->response.text));
  report.variables = std::move(answered->variables);
  report.warnings = std::move(answered->warnings);
  return report;
}

}  // namespace

engine::ItemReport compute(const GrantedHere& granted, Records& records) {
  const auto& step = granted.program.steps[granted.step];
  const auto& state = granted.state.steps[granted.step];
  const auto tries = state.tries.find(0);
  auto key = attempt_key(task_key(granted.chain, step, {granted.step, state.visit}, 0), granted.state.removals_before);
  const auto& arguments = state.arguments;
  const Computation computation{std::get<lang::ToolCall>(step.call), std::move(key), lang::JsonText{arguments.empty() ? "null" : arguments.text},
                                tries == state.tries.end() ? Attempt{1} : tries->second.all() + 1, state.entered_at - granted.lead.count()};
  auto computed = granted.tools.run(computation);
  granted.metrics.observe(Metric::attempt_duration, computed.took_us);
  return report_of(std::move(computed.response), granted, records);
}

}  // namespace catena::coordinator
