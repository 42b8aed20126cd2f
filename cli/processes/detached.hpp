#pragma once
// A command that goes on behind the terminal: its process splits in two before it does anything.
#include <optional>
#include <string>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"

namespace catena::cli {

/// One at a time, and before the process has a second thread.
class Detached {
 public:
  /// In the process that was started: waits for what the other one says, tells it, and answers the exit code. In the other one, which no terminal
  /// ends: nothing.
  [[nodiscard]] static std::optional<ExitCode> split(Console& console);
  /// In the other one: what it is to say, with which the first one ends well. From now on it has no terminal.
  static void say(const std::string& line);
};

}  // namespace catena::cli
