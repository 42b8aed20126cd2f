#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {

Action define_cancel(CLI::App& app) {
  struct Options {
    ControlRequest request;
    std::string reason;
    bool now = false;
  };
  const auto options = std::make_shared<Options>();
  add_chain(app, options->request.chain)->required();
  app.add_option("--reason", options->reason, "why, for its history")->option_text("TEXT");
  app.add_flag("--now", options->now, "without its final steps: those that run are stopped, the others do not begin");
  add_place(app, options->request.follow.place);
  add_text_output(app, options->request.follow.output, "the id of the chain");
  return [options](Console& console) {
    const auto code = control_and_follow(options->request, console, [&](client::ChainsPort&, const ChainId& chain) -> Result<actors::Control> {
      return actors::Control{chain, engine::Cancel{options->reason, options->now}};
    });
    // That the chain is cancelled now is what was asked for.
    return code == ExitCode::cancelled ? ExitCode::ok : code;
  };
}

}  // namespace catena::cli
