#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/node_controls.hpp"

namespace catena::cli {

Action define_drain(CLI::App& app) {
  const auto request = std::make_shared<NodeControlRequest>();
  add_node_control(app, *request);
  app.add_flag("--wait", request->wait, "until they have finished what runs and left");
  return [request](Console& console) { return control_nodes(*request, actors::NodeVerb::drain, console); };
}

}  // namespace catena::cli
