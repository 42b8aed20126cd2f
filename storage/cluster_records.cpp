#include "storage/cluster_records.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

constexpr char kCordon = 'c';
constexpr char kDrain = 'd';

std::string lease_key() { return keys::meta("lease"); }

tl::unexpected<Error> damaged_cluster_record(std::string_view key) {
  return fail(Code::storage_corrupt,
              fmt::format("the meta record {} is none of a cluster; restore the data directory from a backup", keys::printable(key)));
}

Result<NodeControl> read_node_control(std::string_view key, std::string_view value) {
  const auto payload = open_record(RecordKind::meta, value, key);
  if (!payload) return fail(payload.error());
  const bool fits = payload->size() == 1 + sizeof(Incarnation) && (payload->front() == kCordon || payload->front() == kDrain);
  if (!fits) return damaged_cluster_record(key);
  return NodeControl{payload->front() == kDrain, read_be64(payload->substr(1))};
}

}  // namespace

void put_node_control(Batch& batch, const WorkerId& worker, const NodeControl& control) {
  std::string payload{control.drains ? kDrain : kCordon};
  append_be64(payload, control.incarnation.value);
  put_record(batch, keys::node_order(worker), RecordKind::meta, payload);
}

void remove_node_control(Batch& batch, const WorkerId& worker) { batch.remove(keys::node_order(worker)); }

Result<NodeControls> load_node_controls(const Kv& kv) {
  NodeControls orders;
  std::optional<Error> problem;
  const auto [from, to] = keys::node_controls();
  const auto scanned = kv.scan(from, to, [&](std::string_view key, std::string_view value) {
    auto order = read_node_control(key, value);
    if (!order) {
      problem = std::move(order.error());
      return false;
    }
    orders.emplace(keys::worker_of_order(key), *order);
    return true;
  });
  if (!scanned) return fail(scanned.error());
  if (problem) return fail(std::move(*problem));
  return orders;
}

void put_lease(Batch& batch, std::int64_t lease_ms) {
  std::string payload;
  append_be64(payload, static_cast<std::uint64_t>(lease_ms));
  put_record(batch, lease_key(), RecordKind::meta, payload);
}

Result<std::int64_t> load_lease(const Kv& kv) {
  const auto key = lease_key();
  const auto payload = load_record(kv, key, RecordKind::meta);
  if (!payload) return fail(payload.error());
  if (!*payload) return 0;
  if ((*payload)->size() != sizeof(std::uint64_t)) return damaged_cluster_record(key);
  const auto lease = read_be64(**payload);
  if (lease > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return damaged_cluster_record(key);
  return static_cast<std::int64_t>(lease);
}

Result<std::int64_t> raise_lease(Kv& kv, std::int64_t lease_ms) {
  const auto last = load_lease(kv);
  if (!last) return fail(last.error());
  if (*last >= lease_ms) return *last;
  Batch batch;
  put_lease(batch, lease_ms);
  if (auto written = kv.write(batch, Durability::sync); !written) return fail(written.error());
  return lease_ms;
}

}  // namespace catena::storage
