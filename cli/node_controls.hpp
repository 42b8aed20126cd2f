#pragma once
// What `cordon`, `uncordon` and `drain` have in common: an order to some workers of a cluster.
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"

namespace catena::cli {

struct NodeControlRequest {
  std::vector<std::string> workers;
  Place place;
  std::string reason;
  bool wait = false;  // of a drain: until they have left
  Form form = Form::table;
};

void add_node_control(CLI::App& app, NodeControlRequest& request);
/// Whether a worker as it was asked about is not among those there are now: another start of its name is another worker.
[[nodiscard]] bool has_left(const actors::NodeInfo& before, const actors::Nodes& now);
/// What became of an order that was taken, of a worker with a link or without one.
[[nodiscard]] std::string outcome(actors::NodeVerb what, std::string_view worker, bool is_there);

[[nodiscard]] ExitCode control_nodes(const NodeControlRequest& request, actors::NodeVerb what, Console& console);

}  // namespace catena::cli
