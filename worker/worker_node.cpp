#include "worker/worker_node.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>

namespace catena::worker {
namespace {

// Long enough to gather the results of short items, short enough that nobody waits for one.
constexpr std::chrono::milliseconds kReportDelay{5};
constexpr std::size_t kQueueMax = 1UL << 20U;  // tickets bound what comes; this only catches a defect

/// A step that only computes costs no change of thread.
bool run_at_once(NodeState& state, const NodeOptions& options, const Job& job) {
  auto* executor = find(state.at_once, job.task.endpoint.kind);
  if (executor == nullptr || !executor->at_once(job.task)) return false;
  if (options.may_begin && !options.may_begin(job)) return false;  // the slots say so
  state.outbox->close(job.id, run_attempt(*executor, job.task, StopToken{}));
  if (options.counters) ++options.counters->finished;
  return true;
}

actors::Hello hello_of(const NodeOptions& options, const Executors& executors) {
  actors::Hello hello;
  hello.worker = options.id.value;
  hello.incarnation = options.incarnation;
  hello.slots = options.slots;
  hello.labels = options.labels;
  for (const auto& executor : executors) hello.kinds.emplace_back(executor->kind());
  for (const auto& [name, endpoint] : options.executors.capabilities) hello.capabilities.push_back(name);
  if (options.alone) hello.labels = hello.kinds = {"*"};
  return hello;
}

/// The endpoint as it is run here: a program that the chain pinned is not the file of that name, but the one of that content.
Result<void> find_program(const NodeOptions& options, const actors::WorkOrder& order, std::vector<Job>& jobs) {
  if (order.program.empty() || !options.program) return {};
  const auto path = options.program(order.program);
  if (!path) return fail(path.error());
  for (auto& job : jobs) job.task.endpoint.target = *path;
  return {};
}

void close_all(NodeState& state, const std::vector<Job>& jobs, const Error& error) {
  for (const auto& job : jobs) state.outbox->close(job.id, Outcome{fail(error), {}, {}});
}

}  // namespace

caf::behavior worker_node(caf::stateful_actor<NodeState>* self, NodeOptions options, caf::actor dispatcher) {
  if (options.executors.clock == nullptr) options.executors.clock = &self->state.clock;
  const caf::actor me{self};
  const auto weak = caf::actor_cast<caf::weak_actor_ptr>(me);
  auto outbox = std::make_shared<Outbox>([weak] {
    if (const auto node = caf::actor_cast<caf::actor>(weak)) caf::anon_send(node, caf::tick_atom_v);
  });
  self->state.outbox = outbox;
  self->state.pool =
      std::make_unique<SlotPool>(SlotOptions{options.slots, kQueueMax, options.may_begin, options.counters}, make_executors(options.executors),
                                 [outbox](std::uint64_t job, Outcome outcome) { outbox->close(job, std::move(outcome)); });
  self->state.at_once = make_executors(options.executors);
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    self->state.outbox->shut();
    self->state.pool.reset();  // stops what runs and waits for it
    self->quit(exit.reason);
  });
  self->send(dispatcher, hello_of(options, self->state.at_once));
  return {
      [=](const actors::WorkOrder& order) {
        auto jobs = self->state.outbox->open(order, caf::actor_cast<caf::actor>(self->current_sender()), options.executors.clock->now());
        if (const auto found = find_program(options, order, jobs); !found) return close_all(self->state, jobs, found.error());
        if (jobs.size() == 1 && run_at_once(self->state, options, jobs.front())) return;
        if (self->state.pool->offer(jobs)) return;
        close_all(self->state, jobs, make_error(Code::worker_lost, "the worker takes no more work"));
      },
      [=](const actors::StopOrder& stop) {
        for (const auto job : self->state.outbox->jobs_of(stop.chain, stop.grant)) self->state.pool->cancel(job);
      },
      [=](const actors::GiveBackOrder& back) { self->state.pool->drop(self->state.outbox->jobs_of(back.chain, back.grant)); },
      [=](const actors::DrainNode& drain) {
        if (drain.begin) self->state.pool->drop(self->state.outbox->jobs());
      },
      [=](caf::tick_atom) { self->delayed_send(self, kReportDelay, caf::flush_atom_v); },
      [=](caf::flush_atom) { self->state.outbox->flush(); },
  };
}

}  // namespace catena::worker
