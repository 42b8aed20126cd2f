#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"

namespace catena::cli {

Action define_config(CLI::App&) {
  return [](Console& console) {
    const auto configured = configuration();
    if (!configured) return report(console, configured.error());
    console.out().write(config::show(*configured));
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
