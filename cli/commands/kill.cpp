#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {

Action define_kill(CLI::App& app) {
  const auto request = std::make_shared<ControlRequest>();
  add_chain(app, request->chain)->required();
  add_reason(app, request->reason);
  add_place(app, request->follow.place);
  add_text_output(app, request->follow.output, "the id of the chain");
  return [request](Console& console) {
    const auto code = control_and_follow(*request, console, [&](client::ChainsPort&, const ChainId& chain) -> Result<actors::Control> {
      return actors::Control{chain, engine::Cancel{request->reason, true}};
    });
    // That the chain is cancelled now is what was asked for.
    return code == ExitCode::cancelled ? ExitCode::ok : code;
  };
}

}  // namespace catena::cli
