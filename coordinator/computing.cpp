#include "coordinator/computing.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/evaluation.hpp"

namespace catena::coordinator {

bool computes_here(const ComputingTools* tools, const lang::Program& program, const engine::ChainState& state, StepIndex index,
                   const engine::Need& need) {
  if (tools == nullptr) return false;
  const auto& step = program.steps[index];
  const auto* call = std::get_if<lang::ToolCall>(&step.call);
  return call != nullptr && !step.each && need.labels.empty() && tools->has(call->endpoint) && !state.steps[index].arguments.in_blob() &&
         !response_reads_store(program, state, index);
}

engine::ItemReport report_of(Result<lang::JsonText> response, const lang::Program& program, StepIndex step, ChainScope& scope, Records& records) {
  engine::ItemReport report;
  const auto failed = [&](Error error) {
    report.outcome = engine::Outcome::failed;
    report.error = std::move(error);
    return report;
  };
  if (!response) return failed(std::move(response).error());
  auto answered = evaluate_response(program, step, scope, std::move(*response), records);
  if (!answered) return failed(std::move(answered).error());
  report.response = records.write(std::move(answered->response.text));
  report.variables = std::move(answered->variables);
  report.warnings = std::move(answered->warnings);
  return report;
}

}  // namespace catena::coordinator
