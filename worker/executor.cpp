#include "worker/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "worker/executors/builtin.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/http.hpp"
#include "worker/executors/remote.hpp"
#include "worker/executors/serve.hpp"

namespace catena::worker {

bool Executor::at_once(const Task&) const { return false; }

Executors make_executors(const ExecutorOptions& options) {
  Executors executors;
  executors.push_back(make_builtin_executor(options));
  executors.push_back(make_exec_executor(options));
  executors.push_back(make_serve_executor(options));
  auto client = std::make_shared<HttpClient>(options.http);
  executors.push_back(make_http_executor("http", client, options));
  executors.push_back(make_http_executor("https", client, options));
  executors.push_back(make_remote_executor(options.capabilities, executors));
  return executors;
}

Executor* find(const Executors& executors, std::string_view kind) {
  const auto found = std::ranges::find(executors, kind, [](const auto& executor) { return executor->kind(); });
  return found == executors.end() ? nullptr : found->get();
}

Outcome run_attempt(Executor& executor, const Task& task, const StopToken& stop) {
  try {
    return executor.run(task, stop);
  } catch (const std::exception& error) {
    // no memory, most likely
    return {.response = fail(Code::internal, fmt::format("{}: {}", describe(task), error.what())), .stderr_tail = {}};
  }
}

std::string traceparent_of(const Task& task) {
  if (!task.order || task.order->trace.id.empty()) return {};
  const auto& order = *task.order;
  auto span = attempt_span(order.trace, ChainId{order.chain}, order.step, order.visit, task.item, task.attempt);
  return catena::traceparent_of({order.trace.id, std::move(span), order.trace.flags});
}

std::string_view tracestate_of(const Task& task) { return task.order ? std::string_view{task.order->trace.state} : std::string_view{}; }

std::string describe(const Task& task) {
  if (!task.name.empty()) return fmt::format("tool '{}'", task.name);
  // an address without its query, which may hold secrets
  if (task.endpoint.kind.starts_with("http")) return fmt::format("'{}'", shown_url(task.endpoint.kind + ":" + task.endpoint.target));
  return fmt::format("'{}:{}'", task.endpoint.kind, task.endpoint.target);
}

}  // namespace catena::worker
