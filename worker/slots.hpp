#pragma once
// The slots of a worker: threads that take tasks from one bounded queue and run them. A slot takes a few tasks under one lock, and an
// idle slot takes back what a busy one has not begun, so short tasks are cheap and a long one holds up nothing. A single task that finds a slot idle
// may run on the thread that offers it: the slot is lent out for as long.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "actors/protocol.hpp"
#include "worker/executor.hpp"

namespace catena::worker {

/// What a worker's heartbeat tells. Written by the slots, read by whoever wants to know.
struct SlotCounters {
  std::atomic<std::uint32_t> running{0};
  std::atomic<std::uint64_t> finished{0};  // attempts that began and ended
};

struct Job {
  std::uint64_t id = 0;              // the caller's; unique among the accepted ones
  actors::Taking taking = 0;         // of its order
  std::shared_ptr<const Task> task;  // what it has in common with all attempts of its order; never null
  actors::Attempted attempt;
};
/// What executors run of it.
[[nodiscard]] Task task_of(Job job);

struct SlotOptions {
  std::size_t slots = 1;
  std::size_t queue_max = 1024;  // tasks accepted and not begun
  /// Asked before each task begins, on the thread that is to run it: false, and it is reported as given_back without having run. Null: all may.
  std::function<bool(const Job& job)> may_begin = {};
  std::shared_ptr<SlotCounters> counters = {};  // null: not counted
  /// Runs `work` soon, on a thread that may wait for tools, once the call of offer() has returned; false: it does not. Null: nothing does.
  std::function<bool(std::function<void()> work)> lend = {};
};

enum class Cancel {
  unknown,  // not here, or ended already
  dropped,  // was queued: reported as cancelled before cancel() returned
  stopping  // is running: it was asked to stop, and will be reported when it has
};

class SlotPool {
 public:
  /// Called once for each accepted job, on the thread that has run it (for a dropped job: on the thread that cancels). Must not call the pool.
  using Done = std::function<void(std::uint64_t id, Outcome outcome)>;

  SlotPool(const SlotOptions& options, Executors executors, Done done);
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;
  /// stop()
  ~SlotPool();

  /// False when the queue is full or the pool is closing: nothing was taken then.
  [[nodiscard]] bool offer(Job job);
  /// All of them or none; empties `jobs` when they were taken.
  [[nodiscard]] bool offer(std::vector<Job>& jobs);
  Cancel cancel(std::uint64_t id);
  /// Drops those that have not begun, reported as given_back before drop() returns; the others go on.
  void drop(const std::vector<std::uint64_t>& ids);

  /// Accepts nothing more, runs what was accepted, joins.
  void drain();
  /// Accepts nothing more, drops what is queued, asks what runs to stop, joins.
  void stop();

  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  /// Accepted and not begun.
  [[nodiscard]] std::size_t queued() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  /// Its lock is taken after the pool's, when both are.
  struct Slot {
    std::mutex mutex;
    std::deque<Job> taken;  // not begun
    std::uint64_t running = 0;
    bool busy = false;
    StopSource stop;
    // of whoever runs what is taken
    std::shared_ptr<const Task> order;  // that `task` is of
    Task task;
    // guarded by the pool's lock
    bool lent = false;   // it is not this slot's thread that runs what is taken
    bool waits = false;  // its thread, and nobody has woken it
    std::condition_variable ready;
    std::thread thread;
  };

  /// Whoever has a slot lent holds it, and finds out by it that the pool has ended.
  struct Door {
    std::mutex mutex;
    SlotPool* pool = nullptr;
    std::size_t inside = 0;
    std::condition_variable left;
  };

  void work(Slot& slot);
  void perform(Slot& slot, Job& job);
  [[nodiscard]] bool accept(Job& job);
  [[nodiscard]] bool lend(Job& job);
  [[nodiscard]] Slot* idle_slot();
  static void work_lent(Door& door, Slot& slot);
  void end_lending(Slot& slot, bool begun);
  void wait_for_lent();
  [[nodiscard]] bool refill(Slot& slot);
  [[nodiscard]] static bool kept(Slot& slot);
  [[nodiscard]] bool take_share(Slot& slot);
  [[nodiscard]] bool steal(Slot& slot);
  [[nodiscard]] bool begin(Slot& slot, Job& job, bool has_run);
  [[nodiscard]] bool begin_lent(Slot& slot, Job& job);
  /// The slot is locked.
  [[nodiscard]] bool take_next(Slot& slot, Job& job);
  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) const;
  [[nodiscard]] bool remove(std::deque<Job>& jobs, std::uint64_t id);
  void remove(std::deque<Job>& jobs, const std::set<std::uint64_t>& ids, std::vector<std::uint64_t>& removed);
  void close();
  void join();

  SlotOptions options_;
  Executors executors_;
  Done done_;
  std::mutex mutex_;
  std::deque<Job> queue_;
  std::shared_ptr<Door> door_;  // null: no slot is ever lent
  bool closed_ = false;
  std::atomic<std::size_t> waiting_{0};
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace catena::worker
