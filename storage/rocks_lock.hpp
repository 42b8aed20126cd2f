#pragma once
// The lock of a data directory: that of RocksDB, taken before anything in the directory is changed, and watched afterwards (StorePlace).
// Somebody who deletes the directory or its LOCK lets another process in; the one before must not acknowledge anything then. Only
// rocks_*.cpp include this.
#include <filesystem>

#include "base/result.hpp"
#include "storage/rocks_file_system.hpp"

namespace rocksdb {
class FileLock;
}

namespace catena::storage {

class RocksLock {
 public:
  /// Errors: storage_locked, storage_io.
  [[nodiscard]] static Result<RocksLock> take(const std::filesystem::path& directory, const std::filesystem::path& owner_file);

  RocksLock(RocksLock&& other) noexcept;
  RocksLock& operator=(RocksLock&&) = delete;
  RocksLock(const RocksLock&) = delete;
  RocksLock& operator=(const RocksLock&) = delete;
  ~RocksLock();

  /// The file that is locked.
  [[nodiscard]] const FileIdentity& file() const { return file_; }

 private:
  RocksLock(rocksdb::FileLock* lock, FileIdentity file) : lock_{lock}, file_{std::move(file)} {}

  rocksdb::FileLock* lock_;
  FileIdentity file_;
};

}  // namespace catena::storage
