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

/// What a thread runs that is no actor.
class Turn : public caf::resumable, public caf::ref_counted {
 public:
  void intrusive_ptr_add_ref_impl() final { ref(); }
  void intrusive_ptr_release_impl() final { deref(); }
};

/// To send one message.
class Sends final : public Turn {
 public:
  Sends(caf::actor actor, caf::message content) : actor_{std::move(actor)}, content_{std::move(content)} {}
  resume_result resume(caf::execution_unit* unit, std::size_t) override {
    actor_->enqueue(nullptr, caf::make_message_id(), std::move(content_), unit);
    return done;
  }

 private:
  caf::actor actor_;
  caf::message content_;
};

/// To do something outside once.
class Lent final : public Turn {
 public:
  Lent(RunQueue& queue, std::function<void()> work) : queue_{queue}, work_{std::move(work)} {}
  resume_result resume(caf::execution_unit*, std::size_t) override {
    hand_over_next();
    queue_.lend();
    work_();
    queue_.take_back();
    return done;
  }

 private:
  RunQueue& queue_;
  std::function<void()> work_;
};

/// To wait outside again and again, until something came that runs next on the same thread.
class Outside final : public Turn {
 public:
  Outside(RunQueue& queue, std::function<bool()> wait) : queue_{queue}, wait_{std::move(wait)} {}
  resume_result resume(caf::execution_unit*, std::size_t) override {
    const RunsNext catches;
    while (wait_()) {
      if (here.seat->next == nullptr) continue;
      ref();  // for the thread that takes this one's place
      if (queue_.relieve(*here.seat, this)) return done;
      deref();
    }
    queue_.come_inside();
    return done;
  }

 private:
  RunQueue& queue_;
  std::function<bool()> wait_;
};

}  // namespace

RunSeat* RunQueue::waking() {
  if (jobs_.empty() || idle_.empty() || awake_ >= limits_.turns) return nullptr;
  auto* seat = idle_.back();
  idle_.pop_back();
  ++awake_;
  return seat;
}

template <class Change>
void RunQueue::change_and_wake(Change change) {
  RunSeat* wakes = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    change();
    wakes = waking();
  }
  if (wakes != nullptr) wakes->woken.release();  // not under the lock, which it would only wait for
}

void RunQueue::join(RunSeat& seat) {
  const std::scoped_lock lock{mutex_};
  seat.counted = true;
  ++awake_;
}

void RunQueue::leave() {
  change_and_wake([&] { --awake_; });
}

void RunQueue::put(caf::resumable* job) {
  change_and_wake([&] { jobs_.push_back(job); });
}

/// Of more threads than may be awake, for one has come back that was lent, the first that comes here goes to sleep.
caf::resumable* RunQueue::take(RunSeat& seat) {
  for (;;) {
    {
      const std::scoped_lock lock{mutex_};
      if (to_wait_ == nullptr && !jobs_.empty() && awake_ <= limits_.turns) return pop();
      --awake_;
      if (to_wait_ != nullptr) return std::exchange(to_wait_, nullptr);
      idle_.push_back(&seat);
    }
    seat.woken.acquire();
    if (seat.handed != nullptr) return std::exchange(seat.handed, nullptr);
  }
}

bool RunQueue::may_lend() {
  const std::scoped_lock lock{mutex_};
  if (!jobs_.empty() || lent_ >= limits_.lent) return false;
  ++lent_;
  return true;
}

void RunQueue::lend() {
  change_and_wake([&] { --awake_; });
}

void RunQueue::take_back() {
  const std::scoped_lock lock{mutex_};
  --lent_;
  ++awake_;
}

RunSeat* RunQueue::sent_outside(caf::resumable* job) {
  auto* seat = idle_.back();
  idle_.pop_back();
  seat->handed = job;
  return seat;
}

bool RunQueue::wait_outside(std::function<bool()> wait) {
  RunSeat* seat = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    if (outside_ >= limits_.outside || to_wait_ != nullptr) return false;
    to_wait_ = new Outside{*this, std::move(wait)};
    ++outside_;
    // Where none sleeps, more are awake than may run actors: one of them comes to take() before it sleeps.
    if (!idle_.empty()) seat = sent_outside(std::exchange(to_wait_, nullptr));
  }
  if (seat != nullptr) seat->woken.release();
  return true;
}

void RunQueue::come_inside() {
  const std::scoped_lock lock{mutex_};
  --outside_;
  ++awake_;
}

bool RunQueue::relieve(RunSeat& seat, caf::resumable* job) {
  RunSeat* other = nullptr;
  change_and_wake([&] {
    if (jobs_.empty() && !idle_.empty() && awake_ < limits_.turns) {
      other = sent_outside(job);
      ++awake_;  // of this thread: the other is none that runs actors
    } else {
      jobs_.push_back(std::exchange(seat.next, nullptr));
    }
  });
  if (other != nullptr) other->woken.release();
  return other != nullptr;
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

void RunNext::sit(RunSeat& seat, RunQueue& queue) {
  here = {&seat, &queue};
  if (!seat.counted) queue.join(seat);
}

bool RunNext::runs_next(const RunQueue& queue, caf::resumable* job) {
  if (here.queue != &queue || !here.seat->catches || here.seat->next != nullptr) return false;
  here.seat->next = job;
  return true;
}

RunsNext::RunsNext() {
  if (here.seat != nullptr) before_ = std::exchange(here.seat->catches, true);
}

RunsNext::~RunsNext() {
  if (here.seat != nullptr) here.seat->catches = before_;
}

RunsLater::RunsLater() {
  if (here.seat != nullptr) here.seat->puts_off = true;
}

RunsLater::~RunsLater() {
  if (here.seat != nullptr) here.seat->puts_off = false;
}

bool lend_thread(std::function<void()> work) {
  if (here.seat == nullptr || here.seat->next != nullptr || !here.queue->may_lend()) return false;
  here.seat->next = new Lent{*here.queue, std::move(work)};
  return true;
}

void hand_over_next() {
  if (here.seat == nullptr) return;
  for (auto* job : {std::exchange(here.seat->next, nullptr), std::exchange(here.seat->later, nullptr)})
    if (job != nullptr) here.queue->put(job);
}

bool send_behind_others(const caf::actor& actor, caf::message content) {
  if (here.queue == nullptr) return false;
  return here.queue->put_behind([&] { return new Sends{actor, std::move(content)}; });
}

}  // namespace catena::actors
