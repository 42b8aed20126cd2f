#include "storage/cluster_records.hpp"

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "storage/meta.hpp"
#include "storage/record.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {

TEST_CASE("what was ordered of workers is read as it was written, each name its own", "[cluster]") {
  MemoryKv kv;
  CHECK(must(load_node_controls(kv)).empty());
  const NodeControls orders{{WorkerId{"w"}, {false, 0}}, {WorkerId{"w1"}, {true, 1'700'000'000'123}}, {WorkerId{"\xff"}, {true, ~0ULL}}};
  Batch batch;
  for (const auto& [worker, order] : orders) put_node_control(batch, worker, order);
  must(kv.write(batch, Durability::sync));
  CHECK(must(load_node_controls(kv)) == orders);
  batch.clear();
  remove_node_control(batch, WorkerId{"w"});
  put_node_control(batch, WorkerId{"w1"}, {false, 7});
  must(kv.write(batch, Durability::sync));
  CHECK(must(load_node_controls(kv)) == NodeControls{{WorkerId{"w1"}, {false, 7}}, {WorkerId{"\xff"}, {true, ~0ULL}}});
}

TEST_CASE("no name of a worker is taken for what a store says of itself", "[cluster]") {
  MemoryKv kv;
  const auto identity = must(identity_of(kv, "store-1"));
  Batch batch;
  for (const auto* name : {"format", "epoch", "commit", "identity", "lease"}) put_node_control(batch, WorkerId{name}, {});
  must(kv.write(batch, Durability::sync));
  CHECK(must(identity_of(kv, "store-2")) == identity);
  CHECK(must(load_lease(kv)) == 0);
  CHECK(must(load_node_controls(kv)).size() == 5);
}

TEST_CASE("a damaged order of a worker is an error", "[cluster]") {
  for (const auto& payload : {std::string{}, std::string(9, 'x'), std::string("d")}) {
    MemoryKv kv;
    put(kv, keys::node_order(WorkerId{"w"}), record(RecordKind::meta, payload));
    CHECK(code_of(load_node_controls(kv)) == Code::storage_corrupt);
  }
}

TEST_CASE("the lease of a store is raised at once, and lowered only by who knows that the longer one is over", "[cluster]") {
  MemoryKv kv;
  CHECK(must(load_lease(kv)) == 0);
  CHECK(must(raise_lease(kv, 5000)) == 5000);
  CHECK(must(raise_lease(kv, 60'000)) == 60'000);
  CHECK(must(raise_lease(kv, 5000)) == 60'000);
  CHECK(must(load_lease(kv)) == 60'000);
  Batch batch;
  put_lease(batch, 5000);
  must(kv.write(batch, Durability::sync));
  CHECK(must(raise_lease(kv, 1000)) == 5000);
}

}  // namespace catena::storage::test
