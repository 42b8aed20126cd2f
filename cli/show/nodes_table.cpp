#include "cli/show/nodes_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/show/text.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

constexpr double kMilli = 1000.0;

std::string words_of(const auto& words) { return fmt::format("{}", fmt::join(words, ",")); }

Cells node_row(const actors::NodeInfo& node) {
  return {node.id.value,
          node.address.empty() ? "(coordinator)" : node.address,
          words_of(node.labels),
          fmt::format("{}/{}", node.used, node.slots),
          std::to_string(node.running),
          fmt::format("{:.1f}/s", static_cast<double>(node.rate_milli) / kMilli),
          node.heartbeat_age_ms < 0 ? "-" : fmt::format("{:.1f}s", static_cast<double>(node.heartbeat_age_ms) / kMilli),
          node.version,
          node.lost_ms < 0 ? std::string{engine::name(node.state)} : fmt::format("lost {}", age_text(node.lost_ms)),
          std::to_string(node.queued),
          words_of(node.kinds),
          words_of(node.capabilities),
          words_of(node.tool_roots)};
}

}  // namespace

void print_nodes(const std::vector<actors::NodeInfo>& nodes, Form form, Console& console) {
  RecordPrinter printer{form,
                        "id",
                        {{.title = "ID", .shortens = true},
                         {.title = "ADDRESS", .leaves = 4},
                         {.title = "LABELS", .shortens = true, .leaves = 2},
                         {.title = "SLOTS"},
                         {.title = "RUNNING", .leaves = 3},
                         {.title = "RATE", .leaves = 5},
                         {.title = "HEARTBEAT", .leaves = 6},
                         {.title = "VERSION", .leaves = 7},
                         {.title = "STATE", .shade = shade_of_status},
                         {.title = "QUEUED", .only_wide = true},
                         {.title = "KINDS", .only_wide = true},
                         {.title = "CAPABILITIES", .only_wide = true},
                         {.title = "TOOL ROOTS", .only_wide = true}},
                        console};
  for (const auto& node : nodes) printer.add([&] { return client::to_json(node); }, [&] { return node_row(node); });
  printer.finish();
  if (for_people(form) && nodes.empty()) console.say("no worker has joined; `catena worker --join ADDR:PORT` makes one");
}

}  // namespace catena::cli
