#include "worker/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "worker/executors/builtin.hpp"
#include "worker/executors/exec.hpp"

namespace catena::worker {

bool Executor::at_once(const Task&) const { return false; }


Executors make_executors(const ExecutorOptions& options) {
  Executors executors;
  executors.push_back(make_builtin_executor());
  executors.push_back(make_exec_executor(options));
  return executors;
}

Executor* find(const Executors& executors, std::string_view kind) {
  const auto found = std::ranges::find(executors, kind, [](const auto& executor) { return executor->kind(); });
  return found == executors.end() ? nullptr : found->get();
}

std::string describe(const Task& task) {
  if (!task.name.empty()) return fmt::format("tool '{}'", task.name);
  return fmt::format("'{}:{}'", task.endpoint.kind, task.endpoint.target);
}

}  // namespace catena::worker
