#include "worker/order_task.hpp"

#include <utility>

#include "worker/surroundings.hpp"

namespace catena::worker {

Task task_of(const actors::WorkOrder& order, UnixMillis now) {
  Task task;
  task.endpoint = {order.kind, order.target, order.args};
  task.timeout = Millis{order.timeout_ms};
  task.name = order.tool;
  task.file_arguments = order.file_arguments;
  task.file_responses = order.file_responses;
  task.since = now - order.age_ms;
  task.context = order.context;
  task.surroundings = surroundings_of(order);
  task.order = std::make_shared<const TaskOrder>(
      TaskOrder{order.chain, order.grant, order.step, order.visit, ChainTrace{order.trace, order.trace_flags, order.trace_part, order.tracestate}});
  task.heartbeat_timeout = Millis{order.heartbeat_ms};
  return task;
}

void set_attempt(Task& task, actors::Attempted attempt) {
  task.key = std::move(attempt.key);
  task.arguments = lang::JsonText{std::move(attempt.arguments)};
  task.attempt = attempt.attempt;
  task.item = attempt.item;
  task.resume_from = std::move(attempt.resume_from);
}

}  // namespace catena::worker
