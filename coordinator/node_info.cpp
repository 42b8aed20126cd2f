#include "coordinator/node_info.hpp"

#include <algorithm>
#include <map>

namespace catena::coordinator {

actors::NodeInfo info_of(const DispatcherState& state, const engine::Node& node) {
  const auto& worker = state.workers.at(node.id);
  actors::NodeInfo row;
  row.id = node.id;
  row.incarnation = node.incarnation;
  row.labels = node.offered->labels;
  row.kinds = node.offered->kinds;
  row.capabilities = node.offered->capabilities;
  row.tool_roots = worker.hello.tool_roots;
  row.slots = node.slots;
  row.state = node.state;
  row.rate_milli = worker.rate.milli();
  const auto orders = std::max<std::int64_t>(std::int64_t{node.slots} * engine::kOrdersPerSlot - node.free, 0);
  row.running = static_cast<std::uint32_t>(std::min<std::int64_t>(orders, node.slots));
  if (worker.status) {
    row.address = worker.status->address;
    row.version = worker.status->version;
    row.running = worker.status->running;
    row.queued = worker.status->queued;
    if (state.clock != nullptr) row.heartbeat_age_ms = std::max<std::int64_t>(state.clock->now() - worker.status->heartbeat_at, 0);
  }
  row.used = std::min(row.running, row.slots);
  return row;
}

actors::Nodes nodes_of(const DispatcherState& state) {
  std::map<WorkerId, actors::NodeInfo> rows;
  const auto now = state.clock != nullptr ? state.clock->now() : 0;
  for (const auto& [id, lost] : state.lost) {
    if (now - lost.at > DispatcherState::kLostShownMillis) continue;
    auto& row = rows[id] = lost.info;
    row.lost_ms = std::max<std::int64_t>(now - lost.at, 0);
    if (row.heartbeat_age_ms >= 0) row.heartbeat_age_ms += row.lost_ms;
  }
  for (const auto* node : state.placement.nodes()) rows[node->id] = info_of(state, *node);
  actors::Nodes all;
  for (auto& [id, row] : rows) all.nodes.push_back(std::move(row));
  return all;
}

}  // namespace catena::coordinator
