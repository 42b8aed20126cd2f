#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/node_orders.hpp"

namespace catena::cli {

Action define_uncordon(CLI::App& app) {
  const auto request = std::make_shared<NodeOrderRequest>();
  add_node_order(app, *request);
  return [request](Console& console) { return order_nodes(*request, actors::NodeVerb::uncordon, console); };
}

}  // namespace catena::cli
