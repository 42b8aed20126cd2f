#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/node_controls.hpp"

namespace catena::cli {

Action define_uncordon(CLI::App& app) {
  const auto request = std::make_shared<NodeControlRequest>();
  add_node_control(app, *request);
  return [request](Console& console) { return control_nodes(*request, actors::NodeVerb::uncordon, console); };
}

}  // namespace catena::cli
