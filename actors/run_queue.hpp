#pragma once
// Which actor a thread of the scheduler runs next. All threads share one queue; the first actor that a turn makes ready does not go there: the same
// thread runs it right after the turn. A chain's step passes from actor to actor so, and no thread is woken for it. Nor is one for a tool that a turn
// calls: the thread is lent to it. Nor for what comes from the network: the thread that waits for it goes on with whom it is for.
// Source of the idea: "Making the Tokio scheduler 10x faster" (2019), the LIFO slot; ours keeps the first, for the order in which things were sent.
#include <caf/actor.hpp>
#include <caf/message.hpp>
#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <semaphore>
#include <utility>
#include <vector>

namespace caf::scheduler {
class abstract_coordinator;
}

namespace catena::actors {

/// One thread's place: what it runs next, and how it is woken.
struct RunSeat {
  explicit RunSeat(caf::scheduler::abstract_coordinator*) {}
  RunSeat(const RunSeat&) {}  // CAF makes each thread's from one that is empty
  RunSeat& operator=(const RunSeat&) = delete;

  caf::resumable* next = nullptr;
  caf::resumable* later = nullptr;   // what it runs when nothing is next, see RunsLater
  unsigned in_a_row = 0;             // taken from `next` without a look at the queue
  bool counted = false;              // among the threads that are awake
  bool puts_off = false;             // see RunsLater
  bool catches = false;              // see RunsNext
  caf::resumable* handed = nullptr;  // what it was woken to wait outside for, see relieve()
  std::binary_semaphore woken{0};
};

/// How many threads there are for what.
struct RunLimits {
  std::size_t turns = std::numeric_limits<std::size_t>::max();  // that run actors at a time
  std::size_t lent = 0;                                         // that may be lent out besides, see lend_thread()
  std::size_t outside = 0;                                      // that wait outside besides, see wait_outside() in caf_setup.hpp
};

/// The queue of all threads. A thread that has nothing to do sleeps in take().
class RunQueue {
 public:
  explicit RunQueue(caf::scheduler::abstract_coordinator*) {}

  /// Before a thread runs.
  void set(const RunLimits& limits) { limits_ = limits; }
  /// The thread of this seat begins, awake.
  void join(RunSeat& seat);
  /// It runs nothing more.
  void leave();
  void put(caf::resumable* job);
  /// Waits until there is one.
  [[nodiscard]] caf::resumable* take(RunSeat& seat);
  /// `job` goes to the end, and what has waited longest is taken: `job` itself where nothing waits.
  [[nodiscard]] caf::resumable* exchange(caf::resumable* job);
  /// Whether a thread may be lent out; counts it as lent then.
  [[nodiscard]] bool may_lend();
  /// A thread that is lent runs no actors, until it is back.
  void lend();
  void take_back();
  /// See wait_outside() in caf_setup.hpp.
  [[nodiscard]] bool wait_outside(std::function<bool()> wait);
  /// A thread that waited outside runs actors again.
  void come_inside();
  /// This thread, which waits outside for `job`, has an actor to run next. True: another thread waits in its place, and this one is among those that
  /// run actors. False: it goes on waiting, and the actor has gone to the queue; where others wait for a thread, or too many are awake.
  [[nodiscard]] bool relieve(RunSeat& seat, caf::resumable* job);
  /// Puts what `make` makes behind all that waits; makes nothing and is false where nothing does. Wakes nobody: where something waits, as many
  /// threads as may run actors are awake, or one was just woken, and they look here before they sleep.
  template <class Make>
  bool put_behind(Make make) {
    const std::scoped_lock lock{mutex_};
    if (jobs_.empty()) return false;
    jobs_.push_back(make());
    return true;
  }
  template <class Visit>
  void drain(Visit visit) {
    const std::scoped_lock lock{mutex_};
    for (auto* job : std::exchange(jobs_, {})) visit(job);
  }

 private:
  [[nodiscard]] caf::resumable* pop();
  /// Locked. Who is to be woken for what waits, awake from here on; null: nobody.
  [[nodiscard]] RunSeat* waking();
  template <class Change>
  void change_and_wake(Change change);
  /// Locked, and one sleeps. Who is to be woken for `job`; not among those that are awake.
  [[nodiscard]] RunSeat* sent_outside(caf::resumable* job);

  std::mutex mutex_;
  std::deque<caf::resumable*> jobs_;
  std::vector<RunSeat*> idle_;  // the last to fall asleep is the first to be woken
  RunLimits limits_;
  std::size_t awake_ = 0;  // threads that are neither asleep nor lent, nor wait outside
  std::size_t lent_ = 0;
  std::size_t outside_ = 0;
  caf::resumable* to_wait_ = nullptr;  // outside, once a thread comes for it
};

/// A policy of CAF's scheduler, see caf::policy::work_sharing.
class RunNext : public caf::policy::unprofiled {
 public:
  using coordinator_data = RunQueue;
  using worker_data = RunSeat;

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    auto& queue = d(self);
    if (!runs_next(queue, job)) queue.put(job);
  }
  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    d(self->parent()).put(job);
  }
  /// Of the turn that this thread is at.
  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    auto& seat = d(self);
    if (seat.puts_off && seat.later == nullptr)
      seat.later = job;
    else if (seat.next == nullptr)
      seat.next = job;
    else
      d(self->parent()).put(job);
  }
  /// It has had its share of messages: others first.
  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    d(self->parent()).put(job);
  }
  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    auto& seat = d(self);
    auto& queue = d(self->parent());
    sit(seat, queue);
    auto* next = std::exchange(seat.next != nullptr ? seat.next : seat.later, nullptr);
    if (next == nullptr) {
      seat.in_a_row = 0;
      return queue.take(seat);
    }
    if (++seat.in_a_row < kInARowMax) return next;
    seat.in_a_row = 0;
    if (auto* later = std::exchange(seat.later, nullptr)) queue.put(later);
    return queue.exchange(next);
  }
  template <class Worker>
  void before_shutdown(Worker* self) {
    auto& seat = d(self);
    for (auto* job : {std::exchange(seat.next, nullptr), std::exchange(seat.later, nullptr)})
      if (job != nullptr) d(self->parent()).put(job);
    d(self->parent()).leave();
  }
  template <class Worker, class Visit>
  void foreach_resumable(Worker*, Visit) {}  // see before_shutdown
  template <class Coordinator, class Visit>
  void foreach_central_resumable(Coordinator* self, Visit visit) {
    d(self).drain(visit);
  }

 private:
  /// Two actors that only talk to each other do not keep a thread for longer.
  static constexpr unsigned kInARowMax = 32;
  /// Makes them known to hand_over_next().
  static void sit(RunSeat& seat, RunQueue& queue);
  /// Where this thread catches what becomes ready.
  [[nodiscard]] static bool runs_next(const RunQueue& queue, caf::resumable* job);
};

/// As long as it lives, the first actor that this thread makes ready other than from an actor's turn (caf::anon_send) runs next on it. Without effect
/// on threads that are none of the scheduler's.
class RunsNext {
 public:
  RunsNext();
  RunsNext(const RunsNext&) = delete;
  RunsNext& operator=(const RunsNext&) = delete;
  ~RunsNext();

 private:
  bool before_ = false;
};

/// As long as it lives, the first actor that this turn makes ready runs after all that runs next on this thread, and no other is woken for it: what
/// is sent to it nobody waits for. Without effect on threads that are none of the scheduler's.
class RunsLater {
 public:
  RunsLater();
  RunsLater(const RunsLater&) = delete;
  RunsLater& operator=(const RunsLater&) = delete;
  ~RunsLater();
};

/// `work` waits for something outside, such as a tool. It runs on this thread right after the turn, so no other is woken for it, and actors have
/// another thread meanwhile. False, and it is not run: where actors wait for a thread or enough are lent, and on threads that are none of the
/// scheduler's. A system that ends may never run it.
[[nodiscard]] bool lend_thread(std::function<void()> work);

/// For a turn that is going to wait, for the disk or for another thread: what it has made ready runs on another thread meanwhile. Without effect on
/// threads that are none of the scheduler's.
void hand_over_next();

/// Sends `content` to `actor` once all that waits for a thread has begun, so that what these do comes to it before. False, and nothing is sent, where
/// nothing waits, and on threads that are none of the scheduler's.
[[nodiscard]] bool send_behind_others(const caf::actor& actor, caf::message content);

}  // namespace catena::actors
