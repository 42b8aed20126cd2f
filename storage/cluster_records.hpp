#pragma once
// What a coordinator must not forget of its cluster when it starts again: what people ordered of workers, and how long leases were.
#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// A worker, by its name, that gets nothing new until somebody takes that back.
struct NodeControl {
  bool drains = false;          // it is to leave, and the order is over when it did
  Incarnation incarnation = 0;  // the start of it that is to leave; 0: none that was there
  friend bool operator==(const NodeControl&, const NodeControl&) = default;
};
using NodeControls = std::map<WorkerId, NodeControl>;

void put_node_control(Batch& batch, const WorkerId& worker, const NodeControl& control);
void remove_node_control(Batch& batch, const WorkerId& worker);
/// Error: storage_corrupt, and those of the store.
[[nodiscard]] Result<NodeControls> load_node_controls(const Kv& kv);

/// The longest lease in milliseconds that a worker may still hold.
void put_lease(Batch& batch, std::int64_t lease_ms);
/// 0 in a store that no coordinator of a cluster has used.
[[nodiscard]] Result<std::int64_t> load_lease(const Kv& kv);
/// The longer of the last one and this, which is written when it is longer; before any other writer begins.
[[nodiscard]] Result<std::int64_t> raise_lease(Kv& kv, std::int64_t lease_ms);

}  // namespace catena::storage
