#include "storage/memory_kv.hpp"

#include "tests/storage/stores.hpp"

namespace catena::storage::test {

TEST_CASE("a crash keeps what was synced and what a later sync took along", "[memory]") {
  MemoryKv kv;
  put(kv, "x1", "async", Durability::async);
  put(kv, "x2", "none", Durability::none);
  put(kv, "x3", "sync", Durability::sync);
  put(kv, "x4", "async", Durability::async);
  CHECK(entries(kv, "x", "y").size() == 4);
  kv.crash();
  CHECK(entries(kv, "x", "y") == Entries{{"x1", "async"}, {"x3", "sync"}});
  CHECK(kv.epoch() == 2);
}

TEST_CASE("a crash may leave a beginning of what was not synced", "[memory]") {
  MemoryKv kv;
  put(kv, "x1", "1", Durability::async);
  put(kv, "x2", "2", Durability::none);
  put(kv, "x3", "3", Durability::async);
  put(kv, "x4", "4", Durability::async);
  const auto last = kv.commit();
  CHECK(kv.unsynced() == 3);
  kv.crash(2);
  CHECK(entries(kv, "x", "y") == Entries{{"x1", "1"}, {"x3", "3"}});
  CHECK(kv.commit() == last);  // one was lost, and the opening is one more
  CHECK(kv.unsynced() == 0);
}

TEST_CASE("the n-th write fails, and all after it until the store is opened again", "[memory]") {
  for (const auto fault : {MemoryKv::Fault::lost, MemoryKv::Fault::landed}) {
    for (std::uint64_t nth = 1; nth <= 4; ++nth) {
      MemoryKv kv;
      kv.fail_write(nth, fault);
      Batch batch;
      std::uint64_t acknowledged = 0;
      for (int i = 1; i <= 6; ++i) {
        batch.clear();
        batch.put("x" + std::to_string(i), "");
        const auto written = kv.write(batch, Durability::sync);
        if (written) ++acknowledged;
        if (!written) CHECK(written.error().code == Code::storage_io);
      }
      CHECK(acknowledged == nth - 1);
      kv.crash();
      CHECK(entries(kv, "x", "y").size() == acknowledged + (fault == MemoryKv::Fault::landed ? 1U : 0U));
      put(kv, "x9", "", Durability::sync);
      CHECK(must(kv.get("x9")).has_value());
    }
  }
}

TEST_CASE("a restored snapshot is the store of that moment, with what was not synced", "[memory]") {
  MemoryKv kv;
  put(kv, "x1", "sync", Durability::sync);
  put(kv, "x2", "async", Durability::async);
  const auto snapshot = kv.snapshot();
  put(kv, "x3", "later", Durability::sync);
  kv.restore(snapshot);
  CHECK(entries(kv, "x", "y") == Entries{{"x1", "sync"}, {"x2", "async"}});
  kv.crash();
  CHECK(entries(kv, "x", "y") == Entries{{"x1", "sync"}});
}

}  // namespace catena::storage::test
