#pragma once
// The clock port: everything that needs to know the time is handed one. Only adapters read a real clock.
#include "base/time.hpp"

namespace catena {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual UnixMillis now() const = 0;
};

/// The wall clock of this machine.
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

}  // namespace catena
