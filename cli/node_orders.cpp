#include "cli/node_orders.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/suggest.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kLookEvery{300};

/// The cluster's word, with the nearest name there is.
Error with_suggestion(Error error, const std::string& worker, ClusterClient& client) {
  if (error.code != Code::worker_unknown) return error;
  const auto nodes = client.nodes();
  if (!nodes) return error;
  std::vector<std::string> names;
  for (const auto& node : nodes->nodes) names.push_back(node.id.value);
  error.message += did_you_mean(worker, names);
  error.notes.emplace_back("`catena nodes` lists those there are");
  return error;
}

/// Until none of the workers is there.
ExitCode wait_for_leave(const std::vector<std::string>& workers, ClusterClient& client, Console& console) {
  auto left = workers;
  while (!left.empty()) {
    const auto nodes = client.nodes();
    if (!nodes) return report(console, nodes.error());
    const auto gone = [&](const std::string& worker) {
      return std::ranges::none_of(nodes->nodes, [&](const actors::NodeInfo& node) { return node.id.value == worker; });
    };
    for (const auto& worker : left) {
      if (gone(worker)) console.out().line(fmt::format("{} has left", worker));
    }
    std::erase_if(left, gone);
    console.out().flush();
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (!left.empty()) std::this_thread::sleep_for(kLookEvery);
  }
  return ExitCode::ok;
}

}  // namespace

void add_node_order(CLI::App& app, NodeOrderRequest& request) {
  app.add_option("nodes", request.workers, "workers, as `catena nodes` names them")->required()->option_text("NODE...");
  add_cluster(app, request.place);
}

ExitCode order_nodes(const NodeOrderRequest& request, actors::NodeVerb what, std::string_view done, Console& console) {
  const Interrupt interrupt;
  const auto client = connect_cluster(request.place, console);
  if (!client) return report(console, client.error());
  auto code = ExitCode::ok;
  std::vector<std::string> ordered;
  for (const auto& worker : request.workers) {
    const auto taken = (*client)->order_node({WorkerId{worker}, what});
    if (!taken) {
      code = worse(code, report(console, with_suggestion(taken.error(), worker, **client)));
      continue;
    }
    console.out().line(fmt::format("{} {}", worker, done));
    ordered.push_back(worker);
  }
  console.out().flush();
  if (!request.wait) return code;
  return worse(code, wait_for_leave(ordered, **client, console));
}

}  // namespace catena::cli
