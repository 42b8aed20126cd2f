#include "coordinator/removal_count.hpp"

#include <catch2/catch.hpp>

#include "storage/memory_kv.hpp"

namespace catena::coordinator::test {
namespace {

void store(storage::Kv& kv, std::uint64_t count) {
  storage::Batch batch;
  storage::put_removal_count(batch, count);
  REQUIRE(kv.write(batch, storage::Durability::sync));
}

}  // namespace

TEST_CASE("the count of removals is that of the store, and counts a removal once that is over") {
  storage::MemoryKv kv;
  store(kv, 7);
  RemovalCount removals;
  CHECK(*removals.of(kv) == 7);
  store(kv, 8);  // written, and whoever asked for it has not heard so
  CHECK(*removals.of(kv) == 7);
  removals.set(8);
  CHECK(*removals.of(kv) == 8);
}

TEST_CASE("a removal that is over before anybody has asked for the count is counted") {
  storage::MemoryKv kv;
  store(kv, 3);
  RemovalCount removals;
  removals.set(4);
  CHECK(*removals.of(kv) == 4);
}

}  // namespace catena::coordinator::test
