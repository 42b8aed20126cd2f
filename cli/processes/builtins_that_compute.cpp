#include "cli/processes/builtins_that_compute.hpp"

#include <chrono>
#include <utility>

#include "worker/executors/builtin.hpp"

namespace catena::cli {

BuiltinsThatCompute::BuiltinsThatCompute(const Clock& clock) : executor_{worker::make_builtin_executor({.clock = &clock})} {}

bool BuiltinsThatCompute::has(const lang::Endpoint& endpoint) const {
  if (endpoint.kind != executor_->kind()) return false;
  const auto* const builtin = worker::find_builtin(endpoint.target);
  return builtin != nullptr && (builtin->computes_only || builtin->only_waits);
}

coordinator::Computed BuiltinsThatCompute::run(const coordinator::Computation& computation) const {
  worker::Task task;
  task.key = computation.key;
  task.endpoint = computation.tool.endpoint;
  task.arguments = computation.arguments;
  task.attempt = computation.attempt;
  task.name = computation.tool.name;
  task.since = computation.since;
  task.may_block = false;
  const auto begun = std::chrono::steady_clock::now();
  auto outcome = worker::run_attempt(*executor_, task, worker::StopToken{});
  const auto took = std::chrono::steady_clock::now() - begun;
  return {std::move(outcome.response), std::chrono::duration_cast<std::chrono::microseconds>(took).count()};
}

}  // namespace catena::cli
