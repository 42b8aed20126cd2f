#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

struct NodesOptions {
  Place place;
  std::string output = "text";
};

constexpr double kMilli = 1000.0;

std::vector<std::string> node_row(const actors::NodeInfo& node) {
  return {printable(node.id.value),
          node.address.empty() ? "(coordinator)" : printable(node.address),
          printable(fmt::format("{}", fmt::join(node.labels, ","))),
          fmt::format("{}/{}", node.used, node.slots),
          std::to_string(node.running),
          fmt::format("{:.1f}/s", static_cast<double>(node.rate_milli) / kMilli),
          node.heartbeat_age_ms < 0 ? "-" : fmt::format("{:.1f}s", static_cast<double>(node.heartbeat_age_ms) / kMilli),
          printable(node.version),
          node.lost_ms < 0 ? std::string{engine::name(node.state)} : fmt::format("lost {}", age_text(node.lost_ms))};
}

Json node_json(const actors::NodeInfo& node) {
  Json json{{"id", node.id.value},
            {"address", node.address},
            {"incarnation", node.incarnation},
            {"labels", node.labels},
            {"kinds", node.kinds},
            {"capabilities", node.capabilities},
            {"tool_roots", node.tool_roots},
            {"slots", {{"used", node.used}, {"total", node.slots}}},
            {"running", node.running},
            {"queued", node.queued},
            {"rate", static_cast<double>(node.rate_milli) / kMilli},
            {"version", node.version},
            {"state", node.lost_ms < 0 ? engine::name(node.state) : "lost"}};
  if (node.lost_ms >= 0) json["lost_ms"] = node.lost_ms;
  if (node.heartbeat_age_ms >= 0) json["heartbeat_age_ms"] = node.heartbeat_age_ms;
  return json;
}

ExitCode nodes(const NodesOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto client = connect_cluster(options.place, console);
  if (!client) return report(console, client.error());
  const auto found = (*client)->nodes();
  if (!found) return report(console, found.error());
  std::vector<std::vector<std::string>> rows;
  for (const auto& node : found->nodes) {
    if (options.output == "json") {
      console.out().line(dump_lossy(node_json(node)));
    } else {
      rows.push_back(node_row(node));
    }
  }
  if (options.output == "text") {
    console.out().write(table({"ID", "ADDRESS", "LABELS", "SLOTS", "RUNNING", "RATE", "HEARTBEAT", "VERSION", "STATE"}, rows));
    if (rows.empty()) console.say("no worker has joined; `catena worker --join ADDR:PORT` makes one");
  }
  return ExitCode::ok;
}

}  // namespace

Action define_nodes(CLI::App& app) {
  const auto options = std::make_shared<NodesOptions>();
  add_cluster(app, options->place);
  add_output(app, options->output);
  return [options](Console& console) { return nodes(*options, console); };
}

}  // namespace catena::cli
