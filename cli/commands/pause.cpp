#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {

Action define_pause(CLI::App& app) {
  const auto request = std::make_shared<ControlRequest>();
  add_chain(app, request->chain)->required();
  add_reason(app, request->reason);
  add_place(app, request->follow.place);
  add_text_output(app, request->follow.output, "the id of the chain");
  return [request](Console& console) {
    return control_only(*request, console, "is paused: what runs ends, and nothing new begins until `catena unpause`",
                        [](client::ChainsPort&, const ChainId& chain) -> Result<actors::Control> {
                          return actors::Control{chain, engine::Pause{}};
                        });
  };
}

}  // namespace catena::cli
