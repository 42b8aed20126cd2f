#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/node_orders.hpp"

namespace catena::cli {

Action define_drain(CLI::App& app) {
  const auto request = std::make_shared<NodeOrderRequest>();
  add_node_order(app, *request);
  app.add_flag("--wait", request->wait, "until they have finished what runs and left");
  return [request](Console& console) { return order_nodes(*request, actors::NodeVerb::drain, console); };
}

}  // namespace catena::cli
