#include "worker/worker_node.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <limits>

#include "actors/messages.hpp"
#include "actors/run_queue.hpp"
#include "worker/log_buffer.hpp"

namespace catena::worker {
namespace {

// Long enough to gather the results of short items, short enough that nobody waits for one.
constexpr std::chrono::milliseconds kReportDelay{5};
constexpr std::size_t kQueueMax = 1UL << 20U;  // tickets bound what comes; this only catches a defect

/// A step that only computes costs no change of thread.
/// False: nothing has happened to the job.
bool run_at_once(NodeState& state, const NodeOptions& options, Job& job) {
  auto* executor = find(state.at_once, job.task->endpoint.kind);
  if (executor == nullptr || !executor->at_once(*job.task)) return false;
  if (options.may_begin && !options.may_begin(job)) return false;  // the slots say so
  const auto id = job.id;
  auto outcome = run_attempt(*executor, task_of(std::move(job)), StopToken{});
  const actors::RunsNext here;  // whoever hears of it
  state.outbox->close(id, std::move(outcome));
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

void close_all(NodeState& state, const std::vector<Job>& jobs, const Error& error) {
  for (const auto& job : jobs) state.outbox->close(job.id, Outcome{fail(error), {}, {}});
}

/// To whoever stores it, as far as there is credit for it; `most`: at the end all of it.
void send_node_logs(caf::stateful_actor<NodeState>* self, const NodeOptions& options, std::uint64_t most) {
  auto taken = options.executors.logs->take(most);
  if (taken.pieces.empty()) return;
  self->state.log_credit -= std::min(self->state.log_credit, taken.bytes);
  self->send(options.log_keeper, actors::LogsCame{std::move(taken.pieces), taken.bytes, 0, caf::actor{self}});
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
  options.executors.notify = [outbox](actors::AttemptNote note) { outbox->note(std::move(note)); };
  self->state.pool = std::make_unique<SlotPool>(SlotOptions{options.slots, kQueueMax, options.may_begin, options.counters, actors::lend_thread},
                                                make_executors(options.executors), [outbox](std::uint64_t job, Outcome outcome) {
                                                  const actors::RunsNext here;  // whoever hears of it, where a thread was lent
                                                  outbox->close(job, std::move(outcome));
                                                });
  self->state.at_once = make_executors(options.executors);
  const bool stores = options.executors.logs && options.log_keeper;
  if (stores) {
    options.executors.logs->wake_with([weak] {
      if (const auto node = caf::actor_cast<caf::actor>(weak)) caf::anon_send(node, actors::LogsWait{});
    });
  }
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    self->state.outbox->shut();
    actors::hand_over_next();  // whoever runs next does not wait for the tools
    self->state.pool.reset();  // stops what runs and waits for it
    if (stores) send_node_logs(self, options, std::numeric_limits<std::uint64_t>::max());
    self->quit(exit.reason);
  });
  self->send(dispatcher, hello_of(options, self->state.at_once));
  return {
      [=](actors::WorkOrder& order) {
        actors::hand_over_next();  // a task of the order before does not wait for this one
        const auto placed = order.program.empty() || !options.put_in_place ? Result<void>{} : options.put_in_place(order);
        auto jobs = self->state.outbox->open(std::move(order), caf::actor_cast<caf::actor>(self->current_sender()), options.executors.clock->now());
        if (!placed) return close_all(self->state, jobs, placed.error());
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
      [=](const actors::LogsWait&) { send_node_logs(self, options, self->state.log_credit); },
      [=](const actors::LogsKept& kept) {
        self->state.log_credit += kept.bytes;
        send_node_logs(self, options, self->state.log_credit);
      },
      [=](caf::tick_atom) { self->delayed_send(self, kReportDelay, caf::flush_atom_v); },
      [=](caf::flush_atom) { self->state.outbox->flush(); },
  };
}

}  // namespace catena::worker
