#pragma once
// The file system RocksDB sees: the real one, minus the waiting for the disk that no data depends on. Only rocks_*.cpp include this.
#include <memory>

namespace rocksdb {
class FileSystem;
}

namespace catena::storage {

/// Writes OPTIONS and IDENTITY files without syncing them. They are notes for people and tools (RocksDB opens without reading either),
/// yet they would cost every opening two to four syncs of several milliseconds.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem> quick_file_system();

}  // namespace catena::storage
