#include "actors/caf_setup.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "actors/run_queue.hpp"

/// What a thread of the scheduler does. CAF's own asks before each turn whether the job is an actor (dynamic_cast), to tell its logger, which is
/// quiet here: that was a twentieth of the instructions of a step.
template <>
void caf::scheduler::worker<catena::actors::RunNext>::run() {
  for (;;) {
    auto* const job = policy_.dequeue(this);
    switch (job->resume(this, max_throughput_)) {
      case resumable::resume_later: policy_.resume_job_later(this, job); break;
      case resumable::awaiting_message:
      case resumable::done: intrusive_ptr_release(job); break;
      case resumable::shutdown_execution_unit: return policy_.before_shutdown(this);
    }
  }
}

namespace catena::actors {
namespace {

using CafClock = caf::detail::thread_safe_actor_clock;

/// The scheduler's clock, which every actor tells of its end: that wakes the clock's thread for each. Only those with timeouts have something to
/// take back, and few actors have one. Messages that are sent later are no timeouts: they outlive their sender.
class QuietClock final : public CafClock {
 public:
  explicit QuietClock(CafClock& clock) : clock_{clock} {}

  void set_ordinary_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type, std::uint64_t id) override {
    note(self);
    clock_.set_ordinary_timeout(due, self, type, id);
  }
  void set_request_timeout(time_point due, caf::abstract_actor* self, caf::message_id id) override {
    note(self);
    clock_.set_request_timeout(due, self, id);
  }
  void set_multi_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type, std::uint64_t id) override {
    note(self);
    clock_.set_multi_timeout(due, self, type, id);
  }
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override { clock_.cancel_ordinary_timeout(self, type); }
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override { clock_.cancel_request_timeout(self, id); }
  void cancel_timeouts(caf::abstract_actor* self) override {
    if (forget(self)) clock_.cancel_timeouts(self);
  }
  void schedule_message(time_point due, caf::strong_actor_ptr receiver, caf::mailbox_element_ptr content) override {
    clock_.schedule_message(due, std::move(receiver), std::move(content));
  }
  void schedule_message(time_point due, caf::group target, caf::strong_actor_ptr sender, caf::message content) override {
    clock_.schedule_message(due, std::move(target), std::move(sender), std::move(content));
  }
  void cancel_all() override { clock_.cancel_all(); }

 private:
  void note(caf::abstract_actor* self) {
    const std::lock_guard lock{mutex_};
    timed_.insert(self);
  }
  bool forget(caf::abstract_actor* self) {
    const std::lock_guard lock{mutex_};
    return timed_.erase(self) != 0;
  }

  CafClock& clock_;
  std::mutex mutex_;
  std::unordered_set<caf::abstract_actor*> timed_;  // they have, or had, a timeout, and live
};

class Scheduler final : public caf::scheduler::coordinator<RunNext> {
 public:
  explicit Scheduler(caf::actor_system& system) : coordinator{system}, clock_{coordinator::clock()} {
    if (const auto* config = dynamic_cast<const SystemConfig*>(&system.config())) data().set(config->run_limits());
  }
  CafClock& clock() noexcept override { return clock_; }
  [[nodiscard]] RunQueue& queue() { return data(); }
  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>) { return new Scheduler{system}; }

 private:
  QuietClock clock_;
};

}  // namespace

bool wait_outside(caf::actor_system& system, std::function<bool()> wait) {
  auto* scheduler = dynamic_cast<Scheduler*>(&system.scheduler());
  return scheduler != nullptr && scheduler->queue().wait_outside(std::move(wait));
}

SystemConfig::SystemConfig(std::size_t threads, std::size_t slots, std::size_t outside) : limits_{threads, std::min(slots, threads), outside} {
  load<Scheduler>();
  set("scheduler.max-throughput", std::size_t{50});
  set("scheduler.max-threads", limits_.turns + limits_.lent + limits_.outside);
  set("logger.verbosity", caf::atom("quiet"));
}

}  // namespace catena::actors
