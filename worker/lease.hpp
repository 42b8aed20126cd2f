#pragma once
// Until when a worker may begin attempts. The coordinator grants it with every heartbeat that it echoes, measured from when the worker
// sent that heartbeat: whatever the way took, the worker's lease ends before the coordinator gives the worker up.
#include <atomic>
#include <cstdint>
#include <memory>

#include "actors/protocol.hpp"
#include "base/clock.hpp"

namespace catena::worker {

class Lease {
 public:
  explicit Lease(std::shared_ptr<const MonotonicClock> clock) : clock_{std::move(clock)} {}

  /// What was sent at `sent_at_ms` (of the clock) was heard. A time that is still to come, or older than the last one, changes nothing.
  /// True: it holds longer now.
  bool renew(std::int64_t sent_at_ms, std::int64_t length_ms);
  /// Nothing may begin any more, until it is renewed.
  void end();
  /// Orders are numbered as they come. Those before this one were taken under a lease that has lapsed since: whether they are still wanted is not
  /// known, and they never begin. To be said before the lease is renewed.
  void begin_with(actors::Taking taking) { first_.store(taking.value, std::memory_order_release); }

  [[nodiscard]] bool holds() const { return clock_->now_ms() < until_.load(std::memory_order_acquire); }
  /// Slots ask before each attempt, on their threads.
  [[nodiscard]] bool lets_begin(actors::Taking taking) const { return holds() && taking.value >= first_.load(std::memory_order_acquire); }
  /// Of the clock; 0: never granted, or ended.
  [[nodiscard]] std::int64_t until_ms() const { return until_.load(std::memory_order_acquire); }

 private:
  std::shared_ptr<const MonotonicClock> clock_;
  std::atomic<std::int64_t> until_{0};
  std::atomic<std::uint64_t> first_{0};
};

}  // namespace catena::worker
