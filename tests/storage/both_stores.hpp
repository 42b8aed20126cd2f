#pragma once
// The stores that every rule of the port is held against; each can be closed in order and opened again.
#include <memory>

#include "storage/memory_kv.hpp"
#include "storage/rocks_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {

struct RocksStore {
  TempDirectory directory;
  std::unique_ptr<RocksKv> store = must(RocksKv::open(directory.data()));
  Kv& kv() { return *store; }
  void reopen() {
    must(store->close());
    store = must(RocksKv::open(directory.data()));
  }
};

struct MemoryStore {
  MemoryKv store;
  Kv& kv() { return store; }
  void reopen() { store.reopen(); }
};

}  // namespace catena::storage::test
