#pragma once
// What `cordon`, `uncordon` and `drain` have in common: an order to some workers of a cluster.
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/place.hpp"

namespace catena::cli {

struct NodeOrderRequest {
  std::vector<std::string> workers;
  Place place;
  bool wait = false;  // of a drain: until they have left
};

void add_node_order(CLI::App& app, NodeOrderRequest& request);
/// `done` is the word for what each worker is then.
[[nodiscard]] ExitCode order_nodes(const NodeOrderRequest& request, actors::NodeVerb what, std::string_view done, Console& console);

}  // namespace catena::cli
