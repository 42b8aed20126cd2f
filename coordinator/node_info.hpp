#pragma once
// What people see of workers, as the dispatcher knows them.
#include "coordinator/dispatcher.hpp"

namespace catena::coordinator {

[[nodiscard]] actors::NodeInfo info_of(const DispatcherState& state, const engine::Node& node);
/// By id; a worker that was lost stands among them for a while.
[[nodiscard]] actors::Nodes nodes_of(const DispatcherState& state);

}  // namespace catena::coordinator
