#include "actors/run_queue.hpp"

#include <caf/execution_unit.hpp>
#include <caf/ref_counted.hpp>

#include <utility>

namespace catena::actors {
namespace {

struct Sits {
  RunSeat* seat = nullptr;
  RunQueue* queue = nullptr;
};
thread_local Sits here;

/// Its turn is to send one message.
class Sends final : public caf::resumable, public caf::ref_counted {
 public:
  Sends(caf::actor actor, caf::message content) : actor_{std::move(actor)}, content_{std::move(content)} {}
  resume_result resume(caf::execution_unit* unit, std::size_t) override {
    actor_->enqueue(nullptr, caf::make_message_id(), std::move(content_), unit);
    return done;
  }
  void intrusive_ptr_add_ref_impl() override { ref(); }
  void intrusive_ptr_release_impl() override { deref(); }

 private:
  caf::actor actor_;
  caf::message content_;
};

}  // namespace

void RunQueue::put(caf::resumable* job) {
  RunSeat* wakes = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    jobs_.push_back(job);
    if (!idle_.empty()) {
      wakes = idle_.back();
      idle_.pop_back();
    }
  }
  if (wakes != nullptr) wakes->woken.release();  // not under the lock, which it would only wait for
}

caf::resumable* RunQueue::take(RunSeat& seat) {
  for (;;) {
    {
      const std::scoped_lock lock{mutex_};
      if (!jobs_.empty()) return pop();
      idle_.push_back(&seat);
    }
    seat.woken.acquire();
  }
}

caf::resumable* RunQueue::exchange(caf::resumable* job) {
  const std::scoped_lock lock{mutex_};
  if (jobs_.empty()) return job;
  jobs_.push_back(job);
  return pop();
}

caf::resumable* RunQueue::pop() {
  auto* job = jobs_.front();
  jobs_.pop_front();
  return job;
}

void RunNext::sit(RunSeat& seat, RunQueue& queue) { here = {&seat, &queue}; }

void hand_over_next() {
  if (here.seat == nullptr) return;
  if (auto* next = std::exchange(here.seat->next, nullptr)) here.queue->put(next);
}

bool send_behind_others(const caf::actor& actor, caf::message content) {
  if (here.queue == nullptr) return false;
  return here.queue->put_behind([&] { return new Sends{actor, std::move(content)}; });
}

}  // namespace catena::actors
