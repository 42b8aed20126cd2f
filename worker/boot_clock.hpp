#pragma once
// The clock that leases are measured with: milliseconds since the machine booted, the time that it slept included. A worker that was
// stopped or suspended sees by it that its lease is over.
#include <atomic>
#include <cstdint>

#include "base/time.hpp"

namespace catena::worker {

class MonotonicClock {
 public:
  virtual ~MonotonicClock() = default;
  /// Never goes back. May be called from any thread.
  [[nodiscard]] virtual std::int64_t now_ms() const = 0;
};

/// CLOCK_BOOTTIME.
class BootClock final : public MonotonicClock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override;
};

/// Stands still until a test moves it.
class ManualMonotonicClock final : public MonotonicClock {
 public:
  explicit ManualMonotonicClock(std::int64_t start_ms = 1'000'000) : now_{start_ms} {}
  [[nodiscard]] std::int64_t now_ms() const override { return now_.load(std::memory_order_acquire); }
  void advance(Millis by) { now_.fetch_add(by.count(), std::memory_order_acq_rel); }

 private:
  std::atomic<std::int64_t> now_;
};

}  // namespace catena::worker
