#include "actors/run_queue.hpp"

#include <utility>

namespace catena::actors {
namespace {

struct Sits {
  RunSeat* seat = nullptr;
  RunQueue* queue = nullptr;
};
thread_local Sits here;

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
      if (!jobs_.empty()) {
        auto* job = jobs_.front();
        jobs_.pop_front();
        return job;
      }
      idle_.push_back(&seat);
    }
    seat.woken.acquire();
  }
}

caf::resumable* RunQueue::exchange(caf::resumable* job) {
  const std::scoped_lock lock{mutex_};
  if (jobs_.empty()) return job;
  jobs_.push_back(job);
  job = jobs_.front();
  jobs_.pop_front();
  return job;
}

void RunNext::sit(RunSeat& seat, RunQueue& queue) { here = {&seat, &queue}; }

void hand_over_next() {
  if (here.seat == nullptr) return;
  if (auto* next = std::exchange(here.seat->next, nullptr)) here.queue->put(next);
}

}  // namespace catena::actors
