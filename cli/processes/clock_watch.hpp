#pragma once
// Notices when somebody sets the wall clock of the machine under a daemon, which goes on by the clock that it began with.
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"

namespace catena::cli {

class ClockWatch {
 public:
  /// By the clocks of this machine.
  ClockWatch();
  /// `wall` is asked for the wall clock; `own` is the clock that the process goes by.
  ClockWatch(std::function<UnixMillis()> wall, std::function<UnixMillis()> own) : wall_{std::move(wall)}, own_{std::move(own)} {}

  /// A line for the log when the two have come apart by a minute more than at the last line, or agree again; nothing else.
  [[nodiscard]] std::optional<std::string> look();

 private:
  std::function<UnixMillis()> wall_;
  std::function<UnixMillis()> own_;
  Millis told_{0};  // how far the wall clock was ahead when that was said last
};

}  // namespace catena::cli
