#pragma once
// The clock ports: everything that needs to know the time is handed one. Only adapters read a real clock.
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/time.hpp"

namespace catena {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual UnixMillis now() const = 0;
};

/// The wall clock of this machine. Somebody may set it while the process runs: it is for people, and for what other machines wrote.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis now() const override;
};

/// A clock that stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(UnixMillis start = 1'700'000'000'000) : now_{start} {}
  [[nodiscard]] UnixMillis now() const override { return now_; }
  void advance(Millis by) { now_ += by.count(); }

 private:
  UnixMillis now_;
};

/// Milliseconds since some moment. Nobody sets such a clock.
class MonotonicClock {
 public:
  virtual ~MonotonicClock() = default;
  /// Never goes back. May be called from any thread.
  [[nodiscard]] virtual std::int64_t now_ms() const = 0;
};

/// Since the machine booted, the time that it slept included (CLOCK_BOOTTIME). A process that was stopped or suspended sees by it how much time
/// has passed.
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

/// The clock of a process, for all that it decides: the wall clock as it was when this was made, moved on by a clock that nobody sets. So it never
/// goes back and never jumps, whatever happens to the wall clock; what the wall clock says then counts from the next start.
class AnchoredClock final : public Clock {
 public:
  /// By the clocks of this machine.
  AnchoredClock();
  AnchoredClock(const Clock& wall, std::shared_ptr<const MonotonicClock> passed);

  [[nodiscard]] UnixMillis now() const override { return began_ + (passed_->now_ms() - began_ms_); }

 private:
  std::shared_ptr<const MonotonicClock> passed_;
  std::int64_t began_ms_;  // of `passed_`
  UnixMillis began_;       // of the wall clock
};

}  // namespace catena
