#pragma once
// The file system RocksDB sees: the real one, minus the waiting for the disk that no data depends on, and with files that are their owner's
// alone. Only rocks_*.cpp include this.
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace rocksdb {
class FileSystem;
}

namespace catena::storage {

/// A file that was there, and whether its name still leads to it.
struct FileIdentity {
  std::string path;  // empty: there was none
  dev_t device = 0;
  ino_t inode = 0;

  [[nodiscard]] static FileIdentity of(const std::string& path);
  [[nodiscard]] bool still_there() const;
};

/// Whether the directory is still the store's: its lock, and the log that the database writes to, are where they were. From any thread.
class StorePlace {
 public:
  /// Before the database is opened for writing.
  void set_lock(FileIdentity lock) { lock_ = std::move(lock); }
  void set_log(const std::string& path);
  /// Always for a store that is opened read-only, and before there is a log.
  [[nodiscard]] bool has_lock() const { return lock_.path.empty() || lock_.still_there(); }
  [[nodiscard]] bool has_log() const;

 private:
  FileIdentity lock_;
  mutable std::mutex mutex_;
  FileIdentity log_;
};

/// Writes OPTIONS and IDENTITY files without syncing them. They are notes for people and tools (RocksDB opens without reading either),
/// yet they would cost every opening two to four syncs of several milliseconds. Leaves the lock of the directory to RocksLock; once it is
/// lost, no file is made, renamed or deleted: the directory may be another process's. `place` learns which log was opened last.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem> quick_file_system(std::shared_ptr<StorePlace> place);

}  // namespace catena::storage
