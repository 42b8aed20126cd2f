#pragma once
// Looks after the data directory of a process that has it open: somebody who deletes it, or its LOCK, lets a second process in. A write
// finds that out by itself; a process that waits for a long tool writes nothing.
#include <functional>
#include <memory>

#include "base/error.hpp"

namespace catena::storage {
class RocksKv;
}

namespace catena::cli {

/// Asks the store once a second, and calls `fatal` with its error, on a thread of its own. The store must outlive it.
class StoreWatch {
 public:
  StoreWatch(const storage::RocksKv& kv, std::function<void(const Error&)> fatal);
  ~StoreWatch();
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::cli
