#include "worker/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "worker/order_task.hpp"

namespace catena::worker {
namespace {

/// Most tasks that a slot takes at a time: beyond, the lock costs nothing that can be measured.
constexpr std::size_t kTakenMax = 64;

Outcome dropped() { return {.response = fail(Code::cancelled, "cancelled before it began"), .stderr_tail = {}}; }

Outcome not_begun() { return {.response = fail(Code::given_back, "not begun: the worker's lease is over"), .stderr_tail = {}}; }

}  // namespace

Task task_of(Job job) {
  auto task = *job.task;
  set_attempt(task, std::move(job.attempt));
  return task;
}

SlotPool::SlotPool(const SlotOptions& options, Executors executors, Done done)
    : options_{options}, executors_{std::move(executors)}, done_{std::move(done)} {
  for (std::size_t index = 0; index < std::max<std::size_t>(options_.slots, 1); ++index) slots_.push_back(std::make_unique<Slot>());
  if (options_.lend) door_ = std::make_shared<Door>();
  if (door_) door_->pool = this;
  // only now: a thread looks at all slots
  for (auto& slot : slots_) slot->thread = std::thread{[this, &slot] { work(*slot); }};
}

SlotPool::~SlotPool() { stop(); }

bool SlotPool::offer(Job job) { return accept(job); }

/// False: the job is as it was.
bool SlotPool::accept(Job& job) {
  if (lend(job)) return true;
  Slot* wakes = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    if (closed_ || queued() >= options_.queue_max) return false;
    queue_.push_back(std::move(job));
    ++waiting_;
    const auto waiting = std::ranges::find_if(slots_, [](const auto& slot) { return slot->waits && !slot->lent; });
    if (waiting != slots_.end()) wakes = waiting->get();
    if (wakes != nullptr) wakes->waits = false;  // the next job wakes another
  }
  if (wakes != nullptr) wakes->ready.notify_one();
  return true;
}

bool SlotPool::offer(std::vector<Job>& jobs) {
  if (jobs.size() == 1) {
    const bool accepted = accept(jobs.front());
    if (accepted) jobs.clear();
    return accepted;
  }
  {
    const std::scoped_lock lock{mutex_};
    if (closed_ || queued() + jobs.size() > options_.queue_max) return false;
    std::ranges::move(jobs, std::back_inserter(queue_));
    waiting_ += jobs.size();
  }
  for (auto& slot : slots_) slot->ready.notify_one();
  jobs.clear();
  return true;
}

/// The job of an idle slot, to whoever runs it in its place. False: nobody does, and the job is as it was.
bool SlotPool::lend(Job& job) {
  if (!door_) return false;
  Slot* slot = nullptr;
  {
    const std::scoped_lock lock{mutex_};
    if (closed_ || queued() > 0) return false;  // what waits anywhere comes first
    slot = idle_slot();
    if (slot == nullptr) return false;
    const std::scoped_lock slot_lock{slot->mutex};
    slot->lent = true;
    slot->taken.push_back(std::move(job));
    ++waiting_;
  }
  if (options_.lend([door = door_, slot] { work_lent(*door, *slot); })) return true;
  const std::scoped_lock lock{mutex_};
  const std::scoped_lock slot_lock{slot->mutex};
  slot->lent = false;
  if (slot->taken.empty()) return true;  // another slot has it
  job = std::move(slot->taken.front());
  slot->taken.pop_front();
  --waiting_;
  return false;
}

/// The pool is locked.
SlotPool::Slot* SlotPool::idle_slot() {
  const auto idle = std::ranges::find_if(slots_, [](const auto& slot) {
    const std::scoped_lock lock{slot->mutex};
    return !slot->lent && !slot->busy && slot->taken.empty();
  });
  return idle == slots_.end() ? nullptr : idle->get();
}

void SlotPool::work_lent(Door& door, Slot& slot) {
  SlotPool* pool = nullptr;
  {
    const std::scoped_lock lock{door.mutex};
    pool = door.pool;
    if (pool == nullptr) return;
    ++door.inside;
  }
  Job job;
  const bool begun = pool->begin_lent(slot, job);
  if (begun) pool->perform(slot, job);
  pool->end_lending(slot, begun);
  const std::scoped_lock lock{door.mutex};
  --door.inside;
  door.left.notify_all();
}

void SlotPool::end_lending(Slot& slot, bool begun) {
  bool goes_on = false;
  {
    const std::scoped_lock lock{mutex_};
    const std::scoped_lock slot_lock{slot.mutex};
    if (begun) slot.busy = false;
    slot.lent = false;
    goes_on = closed_ || queued() > 0;  // also in another slot, to steal from
  }
  if (goes_on) slot.ready.notify_one();
}

/// Nobody has a slot any more, and what is in one is for its own thread.
void SlotPool::wait_for_lent() {
  if (!door_) return;
  {
    std::unique_lock lock{door_->mutex};
    door_->left.wait(lock, [&] { return door_->inside == 0; });
  }
  const std::scoped_lock lock{mutex_};
  for (auto& slot : slots_) {
    slot->lent = false;
    slot->ready.notify_one();
  }
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
  if (door_) {
    const std::scoped_lock lock{door_->mutex};
    door_->pool = nullptr;
  }
  const std::scoped_lock lock{mutex_};
  closed_ = true;
  for (auto& slot : slots_) slot->ready.notify_one();
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
  wait_for_lent();
  for (auto& slot : slots_) {
    if (slot->thread.joinable()) slot->thread.join();
  }
}

void SlotPool::work(Slot& slot) {
  while (refill(slot)) {
    Job job;
    for (bool begun = begin(slot, job, false); begun; begun = begin(slot, job, true)) perform(slot, job);
  }
}

void SlotPool::perform(Slot& slot, Job& job) {
  if (options_.may_begin && !options_.may_begin(job)) return done_(job.id, not_begun());
  const auto started = std::chrono::steady_clock::now();
  if (options_.counters) ++options_.counters->running;
  if (slot.order != job.task) {  // attempts of one order follow each other, and have most of it in common
    slot.order = std::move(job.task);
    slot.task = *slot.order;
  }
  set_attempt(slot.task, std::move(job.attempt));
  auto outcome = run(slot.task, slot.stop.token());
  set_attempt(slot.task, {});  // an idle slot keeps neither arguments nor checkpoint
  outcome.took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
  if (options_.counters) {
    --options_.counters->running;
    ++options_.counters->finished;
  }
  done_(job.id, std::move(outcome));
}

/// Waits for tasks; false when there will be none.
bool SlotPool::refill(Slot& slot) {
  std::unique_lock lock{mutex_};
  for (;;) {
    if (!slot.lent) {
      if (kept(slot) || take_share(slot) || steal(slot)) return true;
      if (closed_) return false;
    }
    slot.waits = true;
    slot.ready.wait(lock);
    slot.waits = false;
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

/// Whether it has tasks from when it was lent. The pool is locked.
bool SlotPool::kept(Slot& slot) {
  const std::scoped_lock lock{slot.mutex};
  return !slot.taken.empty();
}

/// Ends the task before, if this thread has run one, and begins the next under one lock; false when there is none.
bool SlotPool::begin(Slot& slot, Job& job, bool has_run) {
  const std::scoped_lock lock{slot.mutex};
  if (has_run) slot.busy = false;  // what it was to run may have gone to another slot, and this one may be lent since
  return take_next(slot, job);
}

/// False, too, where the slot's own thread has it: the task had gone to another slot, and this one had looked for more.
bool SlotPool::begin_lent(Slot& slot, Job& job) {
  const std::scoped_lock lock{slot.mutex};
  return !slot.busy && take_next(slot, job);
}

bool SlotPool::take_next(Slot& slot, Job& job) {
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
