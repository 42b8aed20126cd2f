#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {

Action define_unpause(CLI::App& app) {
  const auto request = std::make_shared<ControlRequest>();
  add_chain(app, request->chain)->required();
  add_control_request(app, *request);
  return [request](Console& console) {
    const auto make = [](client::ChainsPort&, const ChainId& chain) -> Result<actors::Control> { return actors::Control{chain, engine::Unpause{}}; };
    return control_or_follow(*request, console, "goes on", make);
  };
}

}  // namespace catena::cli
