#pragma once
// One thread, virtual time, and processes that are groups of actors: which message is next is drawn by seed; a process can stand still
// (SIGSTOP) or be gone between any two messages. Who is spawned by an actor belongs to its process.
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"
#include "base/clock.hpp"
#include "base/time.hpp"
#include "tests/simulation/dice.hpp"

namespace catena::simulation {

using Process = int;
inline constexpr Process kHarness = -1;  // never stands still, never dies
inline constexpr Process kCoordinator = 0;

struct SystemConfig : caf::actor_system_config {
  SystemConfig() {
    set("scheduler.policy", caf::atom("testing"));
    set("logger.verbosity", caf::atom("quiet"));
  }
};

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : dice_{seed} {}
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  /// Runs one message, or one thing that is due; false when nothing is left to do at this time.
  bool step() {
    if (run_due() || run_message()) return true;
    return false;
  }
  /// Lets time pass until something happens; false when nothing ever will.
  bool wait() {
    const auto& timeouts = clock().schedule();
    if (timeouts.empty() && agenda_.empty()) return false;
    const bool agenda_first = !agenda_.empty() && (timeouts.empty() || agenda_.begin()->first <= timeouts.begin()->first);
    if (agenda_first) {
      clock().current_time = std::max(clock().current_time, agenda_.begin()->first);
      return true;
    }
    return scheduler.trigger_timeout();
  }

  /// Between two messages, after that time.
  void after(Millis delay, std::function<void()> what) { agenda_.emplace(clock().now() + delay, std::move(what)); }
  [[nodiscard]] Millis now() { return std::chrono::duration_cast<Millis>(clock().now().time_since_epoch()); }

  /// The actors spawned by `spawn` and by those belong to the process.
  template <class Spawn>
  caf::actor in(Process process, Spawn&& spawn) {
    const auto seen = scheduler.jobs.size();
    caf::actor actor = spawn();
    adopt(seen, process);
    return actor;
  }

  void freeze(Process process) { frozen_.insert(process); }
  void thaw(Process process) { frozen_.erase(process); }
  [[nodiscard]] bool frozen(Process process) const { return frozen_.contains(process); }

  /// All of the process is gone at once: nothing of it handles another message.
  void kill(Process process) {
    thaw(process);
    do {
      adopt(0, process);  // what its actors began while they were being killed
      for (auto& [id, actor] : actors_) {
        if (actor.process != process) continue;
        if (const auto alive = living(actor.handle)) caf::anon_send_exit(alive, caf::exit_reason::kill);
      }
    } while (scheduler.run_jobs_filtered([&](caf::resumable* job) { return process_of(job) == process; }) > 0);
    std::erase_if(actors_, [&](const auto& entry) { return entry.second.process == process; });
  }
  /// Actors of the process that live, by name.
  [[nodiscard]] std::vector<std::string> living_in(Process process) {
    std::vector<std::string> names;
    for (const auto& [id, actor] : actors_) {
      if (actor.process != process) continue;
      const auto alive = living(actor.handle);
      if (!alive) continue;
      const auto* local = dynamic_cast<const caf::local_actor*>(caf::actor_cast<caf::abstract_actor*>(alive));
      names.emplace_back(local != nullptr ? local->name() : "?");
    }
    return names;
  }

  /// Which messages ran, in which order and at which time: the same for the same seed.
  [[nodiscard]] std::uint64_t trace() const { return trace_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

  /// Hears of each message before it is handled.
  std::function<void(const std::string& words)> on_message;

  SystemConfig config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());

 private:
  using Time = caf::actor_clock::time_point;
  struct Known {
    caf::weak_actor_ptr handle;
    Process process = kCoordinator;
  };

  caf::detail::test_actor_clock& clock() { return scheduler.clock(); }

  static caf::actor living(const caf::weak_actor_ptr& handle) {
    auto strong = caf::actor_cast<caf::strong_actor_ptr>(handle);
    if (!strong || strong->get()->getf(caf::abstract_actor::is_terminated_flag)) return nullptr;
    return caf::actor_cast<caf::actor>(std::move(strong));
  }
  static caf::abstract_actor* actor_of(caf::resumable* job) { return dynamic_cast<caf::abstract_actor*>(job); }
  Process process_of(caf::resumable* job) {
    const auto* actor = actor_of(job);
    const auto known = actor == nullptr ? actors_.end() : actors_.find(actor->id());
    return known == actors_.end() ? kHarness : known->second.process;
  }
  /// Who stands in the queue from there on and is not known yet.
  void adopt(std::size_t from, Process process) {
    for (auto at = from; at < scheduler.jobs.size(); ++at) {
      auto* actor = actor_of(scheduler.jobs[at]);
      if (actor != nullptr) actors_.try_emplace(actor->id(), Known{caf::actor_cast<caf::weak_actor_ptr>(actor->ctrl()), process});
    }
  }

  bool run_due() {
    if (agenda_.empty() || agenda_.begin()->first > clock().now()) return false;
    const auto what = std::move(agenda_.extract(agenda_.begin()).mapped());
    note(1);
    what();
    return true;
  }
  bool run_message() {
    auto& jobs = scheduler.jobs;
    if (jobs.empty()) return false;
    const auto from = static_cast<std::size_t>(dice_.next() % jobs.size());
    for (std::size_t tried = 0; tried < jobs.size(); ++tried) {
      const auto at = (from + tried) % jobs.size();
      const auto process = frozen_.empty() ? kHarness : process_of(jobs[at]);
      if (frozen_.contains(process)) continue;
      std::swap(jobs.front(), jobs[at]);
      run_front();
      return true;
    }
    return false;
  }
  void run_front() {
    auto* job = scheduler.jobs.front();
    const auto process = process_of(job);
    const auto* actor = actor_of(job);
    note(actor != nullptr ? actor->id() : 0);
    if (on_message) on_message(describe(*job));
    const auto standing = scheduler.jobs.size() - 1;
    scheduler.run_once();
    ++messages_;
    adopt(standing, process);  // whoever ran last is there again: it is known
  }
  [[nodiscard]] std::string describe(caf::resumable& job) {
    auto* actor = dynamic_cast<caf::scheduled_actor*>(&job);
    if (actor == nullptr) return "?";
    const auto* next = actor->mailbox().peek();
    return std::to_string(now().count()) + " ms, process " + std::to_string(process_of(&job)) + ", " + actor->name() + " " +
           std::to_string(actor->id()) + ": " + (next != nullptr ? caf::to_string(next->content()).substr(0, 160) : "starts");
  }
  void note(std::uint64_t what) { trace_ = mix(trace_ ^ mix(what) ^ static_cast<std::uint64_t>(clock().now().time_since_epoch().count())); }

  Dice dice_;
  std::multimap<Time, std::function<void()>> agenda_;
  std::unordered_map<caf::actor_id, Known> actors_;
  std::set<Process> frozen_;
  std::uint64_t trace_ = 0;
  std::uint64_t messages_ = 0;
};

/// The wall clock of a machine, which somebody may set.
class WallClock final : public Clock {
 public:
  explicit WallClock(Schedule& schedule) : schedule_{schedule} {}
  [[nodiscard]] UnixMillis now() const override {
    constexpr UnixMillis kStart = 1'700'000'000'000;
    return kStart + schedule_.now().count() + ahead_.count();
  }
  void set(Millis by) { ahead_ += by; }
  /// Of the time that passes.
  [[nodiscard]] Millis ahead() const { return ahead_; }

 private:
  Schedule& schedule_;
  Millis ahead_{0};
};

/// The time since a machine booted: each start of a process may be on another.
class BootTime final : public MonotonicClock {
 public:
  explicit BootTime(Schedule& schedule, std::int64_t offset_ms = 0) : schedule_{schedule}, offset_ms_{offset_ms} {}
  [[nodiscard]] std::int64_t now_ms() const override { return schedule_.now().count() + offset_ms_; }

 private:
  Schedule& schedule_;
  std::int64_t offset_ms_;
};

}  // namespace catena::simulation
