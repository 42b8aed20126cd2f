#pragma once
// When the machine itself was slow. The processors of a virtual machine are taken away from it in slices: for some 40 ms it computes at a fifth of
// its pace, and whatever runs or waits then is measured by that.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/running.hpp"

namespace bench {

/// Notices when the machine is slow. A thread on each processor does the same work each millisecond, before all that is no thread of the kernel: 2 %
/// of a processor. The machine is slow where that work takes four times as long as it mostly does, or begins 3 ms late.
class SlowMachine {
 public:
  SlowMachine() : seen_(std::thread::hardware_concurrency()) {
    for (std::size_t processor = 0; processor < seen_.size(); ++processor) threads_.emplace_back([this, processor] { watch(processor); });
  }
  ~SlowMachine() {
    if (!threads_.empty()) stop();
  }
  SlowMachine(const SlowMachine&) = delete;
  SlowMachine& operator=(const SlowMachine&) = delete;

  /// Ends the threads; was_slow() answers from then on. False where a thread may not come before others (it takes CAP_SYS_NICE): nothing was seen
  /// then.
  bool stop() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    for (const auto& looks : seen_) slow_.push_back(kTimesAsLong * usual_of(looks));
    return !refused_;
  }
  /// Whether a processor was slow at a time between. O(log of the looks + those between).
  [[nodiscard]] bool was_slow(Clock::time_point from, Clock::time_point to) const {
    for (std::size_t processor = 0; processor < seen_.size(); ++processor) {
      const auto& looks = seen_[processor];
      // the first that ended after `from` may have begun before it
      for (auto look = std::ranges::lower_bound(looks, from, {}, &Look::to); look != looks.end() && look->from < to; ++look) {
        if (look->worked > slow_[processor] || look->to - look->from > kLate) return true;
      }
    }
    return false;
  }

 private:
  struct Look {
    Clock::time_point from;  // when the one before ended
    Clock::time_point to;
    Clock::duration worked;
  };
  static constexpr std::chrono::milliseconds kEach{1};
  static constexpr std::chrono::milliseconds kLate{3};
  static constexpr int kTimesAsLong = 4;
  static constexpr int kPriority = 50;
  static constexpr int kRounds = 20'000;  // some 20 us

  static Clock::duration usual_of(const std::vector<Look>& looks) {
    constexpr std::size_t kMany = 1000;
    if (looks.empty()) return {};
    std::vector<Clock::duration> some;
    for (std::size_t at = 0; at < looks.size(); at += 1 + looks.size() / kMany) some.push_back(looks[at].worked);
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    std::ranges::nth_element(some, middle);
    return *middle;
  }

  void watch(std::size_t processor) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    const sched_param first{.sched_priority = kPriority};
    if (::pthread_setaffinity_np(::pthread_self(), sizeof only, &only) != 0 || ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &first) != 0) {
      refused_ = true;
      return;
    }
    volatile unsigned sink = 0;
    for (auto last = Clock::now(); !over_;) {
      std::this_thread::sleep_for(kEach);
      const auto began = Clock::now();
      for (int round = 0; round < kRounds; ++round) sink = sink * 3 + 1;
      const auto now = Clock::now();
      seen_[processor].push_back({last, now, now - began});
      last = now;
    }
  }

  std::atomic<bool> over_ = false;
  std::atomic<bool> refused_ = false;
  std::vector<std::vector<Look>> seen_;  // by processor, each written by its thread
  std::vector<Clock::duration> slow_;    // by processor: work that takes longer is slow
  std::vector<std::thread> threads_;
};

}  // namespace bench
