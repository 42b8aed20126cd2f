#pragma once
// What a command is. Each stands in a file of its own in commands/ and in one row of the table in command.cpp.
#include <functional>
#include <span>
#include <string_view>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

/// Runs the command with the options that were parsed.
using Action = std::function<ExitCode(Console& console)>;

struct Command {
  std::string_view name;
  std::string_view group;  // of the help
  std::string_view summary;
  Action (*define)(CLI::App& app);  // adds the options
};

/// In the order of the help.
[[nodiscard]] std::span<const Command> commands();

/// Parses the command line and runs what it says.
[[nodiscard]] ExitCode run_command_line(int argc, const char* const* argv, Console& console);

}  // namespace catena::cli
