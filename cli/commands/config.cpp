#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"

namespace catena::cli {

Action define_config(CLI::App& app) {
  const auto example = std::make_shared<bool>(false);
  app.add_flag("--example", *example, "every option with its default, whatever this machine has set: a file to begin with");
  return [example](Console& console) {
    if (*example) {
      console.out().write(config::example());
      return ExitCode::ok;
    }
    const auto configured = configuration();
    if (!configured) return report(console, configured.error());
    console.out().write(config::show(*configured));
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
