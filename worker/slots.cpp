#include "worker/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace catena::worker {
namespace {

/// Most tasks that a slot takes at a time: beyond, the lock costs nothing that can be measured.
constexpr std::size_t kTakenMax = 64;

Outcome dropped() { return {.response = fail(Code::cancelled, "cancelled before it began"), .stderr_tail = {}}; }

Outcome not_begun() { return {.response = fail(Code::given_back, "not begun: the worker's lease is over"), .stderr_tail = {}}; }

}  // namespace

SlotPool::SlotPool(const SlotOptions& options, Executors executors, Done done)
    : options_{options}, executors_{std::move(executors)}, done_{std::move(done)} {
  for (std::size_t index = 0; index < std::max<std::size_t>(options_.slots, 1); ++index) slots_.push_back(std::make_unique<Slot>());
  // only now: a thread looks at all slots
  for (auto& slot : slots_) slot->thread = std::thread{[this, &slot] { work(*slot); }};
}

SlotPool::~SlotPool() { stop(); }

bool SlotPool::offer(Job job) {
  {
    const std::scoped_lock lock{mutex_};
    if (closed_ || queued() >= options_.queue_max) return false;
    queue_.push_back(std::move(job));
    ++waiting_;
  }
  ready_.notify_one();
  return true;
}

bool SlotPool::offer(std::vector<Job>& jobs) {
  {
    const std::scoped_lock lock{mutex_};
    if (closed_ || queued() + jobs.size() > options_.queue_max) return false;
    std::ranges::move(jobs, std::back_inserter(queue_));
    waiting_ += jobs.size();
  }
  if (jobs.size() == 1)
    ready_.notify_one();
  else
    ready_.notify_all();
  jobs.clear();
  return true;
}

Cancel SlotPool::cancel(std::uint64_t id) {
  bool found = false;
  {
    // held throughout: a job that moves from one place to the other would be missed
    const std::scoped_lock lock{mutex_};
    found = remove(queue_, id);
    for (auto& slot : slots_) {
      if (found) break;
      const std::scoped_lock slot_lock{slot->mutex};
      if (slot->busy && slot->running == id) {
        slot->stop.request_stop();
        return Cancel::stopping;
      }
      found = remove(slot->taken, id);
    }
  }
  if (!found) return Cancel::unknown;
  done_(id, dropped());
  return Cancel::dropped;
}

void SlotPool::drop(const std::vector<std::uint64_t>& ids) {
  const std::set<std::uint64_t> wanted{ids.begin(), ids.end()};
  std::vector<std::uint64_t> removed;
  {
    const std::scoped_lock lock{mutex_};
    remove(queue_, wanted, removed);
    for (auto& slot : slots_) {
      const std::scoped_lock slot_lock{slot->mutex};
      remove(slot->taken, wanted, removed);
    }
  }
  for (const auto id : removed) done_(id, {.response = fail(Code::given_back, "given back before it began"), .stderr_tail = {}});
}

void SlotPool::remove(std::deque<Job>& jobs, const std::set<std::uint64_t>& ids, std::vector<std::uint64_t>& removed) {
  std::erase_if(jobs, [&](const Job& job) {
    if (!ids.contains(job.id)) return false;
    removed.push_back(job.id);
    --waiting_;
    return true;
  });
}

bool SlotPool::remove(std::deque<Job>& jobs, std::uint64_t id) {
  const auto job = std::ranges::find(jobs, id, &Job::id);
  if (job == jobs.end()) return false;
  jobs.erase(job);
  --waiting_;
  return true;
}

void SlotPool::close() {
  {
    const std::scoped_lock lock{mutex_};
    closed_ = true;
  }
  ready_.notify_all();
}

void SlotPool::drain() {
  close();
  join();
}

void SlotPool::stop() {
  close();
  std::deque<Job> dropped_jobs;
  {
    const std::scoped_lock lock{mutex_};
    dropped_jobs.swap(queue_);
    for (auto& slot : slots_) {
      const std::scoped_lock slot_lock{slot->mutex};
      std::ranges::move(slot->taken, std::back_inserter(dropped_jobs));
      slot->taken.clear();
      if (slot->busy) slot->stop.request_stop();
    }
    waiting_ -= dropped_jobs.size();
  }
  for (const auto& job : dropped_jobs) done_(job.id, dropped());
  join();
}

void SlotPool::join() {
  for (auto& slot : slots_) {
    if (slot->thread.joinable()) slot->thread.join();
  }
}

void SlotPool::work(Slot& slot) {
  while (refill(slot)) {
    Job job;
    while (begin(slot, job)) {
      if (options_.may_begin && !options_.may_begin(job)) {
        done_(job.id, not_begun());
        continue;
      }
      const auto started = std::chrono::steady_clock::now();
      if (options_.counters) ++options_.counters->running;
      auto outcome = run(job.task, slot.stop.token());
      outcome.took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
      if (options_.counters) {
        --options_.counters->running;
        ++options_.counters->finished;
      }
      done_(job.id, std::move(outcome));
    }
  }
}

/// Waits for tasks; false when there will be none.
bool SlotPool::refill(Slot& slot) {
  std::unique_lock lock{mutex_};
  for (;;) {
    if (take_share(slot) || steal(slot)) return true;
    if (closed_) return false;
    ready_.wait(lock);
  }
}

/// Takes this slot's share of the queue. The pool is locked.
bool SlotPool::take_share(Slot& slot) {
  if (queue_.empty()) return false;
  const auto share = std::min((queue_.size() + slots_.size() - 1) / slots_.size(), kTakenMax);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(share);
  const std::scoped_lock lock{slot.mutex};
  std::move(queue_.begin(), end, std::back_inserter(slot.taken));
  queue_.erase(queue_.begin(), end);
  return true;
}

/// Takes the later half of what another slot has not begun. The pool is locked.
bool SlotPool::steal(Slot& slot) {
  for (auto& other : slots_) {
    if (other.get() == &slot) continue;
    const std::scoped_lock locks{other->mutex, slot.mutex};
    if (other->taken.empty()) continue;
    const auto half = other->taken.begin() + static_cast<std::ptrdiff_t>(other->taken.size() / 2);
    std::move(half, other->taken.end(), std::back_inserter(slot.taken));
    other->taken.erase(half, other->taken.end());
    return true;
  }
  return false;
}

/// Ends the last task and begins the next under one lock; false when there is none.
bool SlotPool::begin(Slot& slot, Job& job) {
  const std::scoped_lock lock{slot.mutex};
  slot.busy = false;
  if (slot.taken.empty()) return false;
  job = std::move(slot.taken.front());
  slot.taken.pop_front();
  --waiting_;
  slot.running = job.id;
  slot.busy = true;
  slot.stop.reset();
  return true;
}

Outcome SlotPool::run(const Task& task, const StopToken& stop) const {
  auto* executor = find(executors_, task.endpoint.kind);
  if (executor == nullptr) {
    return {.response = fail(Code::endpoint_unknown, fmt::format("{}: this worker cannot run '{}:' endpoints", describe(task), task.endpoint.kind)),
            .stderr_tail = {}};
  }
  return run_attempt(*executor, task, stop);
}

}  // namespace catena::worker
