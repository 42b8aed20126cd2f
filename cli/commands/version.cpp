#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"

namespace catena::cli {

Action define_version(CLI::App&) {
  return [](Console& console) {
    console.out().line("catena " CATENA_VERSION);
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
