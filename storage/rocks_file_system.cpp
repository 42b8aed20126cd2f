#include "storage/rocks_file_system.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace catena::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

bool is_note(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  // IDENTITY is written under the name of temporary file 0; CURRENT, which matters, uses the number of its manifest, from 1.
  return name.starts_with("OPTIONS-") || name.starts_with("IDENTITY") || name == "000000.dbtmp";
}

class UnsyncedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus RangeSync(std::uint64_t, std::uint64_t, const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
};

class QuickDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug, const rocksdb::DirFsyncOptions& why) override {
    if (why.reason == rocksdb::DirFsyncOptions::kFileRenamed && is_note(why.renamed_new_name)) return IOStatus::OK();
    return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, why);
  }
};

/// For a lock that the store holds already.
class HeldLock final : public rocksdb::FileLock {};

class QuickFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  QuickFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<StorePlace> place)
      : FileSystemWrapper{target}, place_{std::move(place)} {}
  [[nodiscard]] const char* Name() const override { return "catena.quick"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options, std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    if (!place_->has_lock()) return lost();
    auto status = FileSystemWrapper::NewWritableFile(path, options, result, debug);
    if (!status.ok()) return status;
    // RocksDB makes files that others may read. Setting the umask instead would set it for the tools that this process runs, too.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return IOStatus::IOError("cannot take the rights of others off " + path);
    if (is_note(path)) *result = std::make_unique<UnsyncedFile>(std::move(*result));
    if (path.ends_with(".log")) place_->set_log(path);
    return status;
  }

  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options, IODebugContext* debug) override {
    return place_->has_lock() ? FileSystemWrapper::RenameFile(from, to, options, debug) : lost();
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    return place_->has_lock() ? FileSystemWrapper::DeleteFile(path, options, debug) : lost();
  }

  IOStatus NewDirectory(const std::string& path, const IOOptions& options, std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewDirectory(path, options, result, debug);
    if (status.ok()) *result = std::make_unique<QuickDirectory>(std::move(*result));
    return status;
  }

  IOStatus LockFile(const std::string&, const IOOptions&, rocksdb::FileLock** lock, IODebugContext*) override {
    *lock = new HeldLock;  // RocksDB hands it back to UnlockFile
    return IOStatus::OK();
  }
  IOStatus UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) override {
    delete lock;
    return IOStatus::OK();
  }

 private:
  static IOStatus lost() { return IOStatus::IOError("the lock of the data directory is lost"); }

  std::shared_ptr<StorePlace> place_;
};

}  // namespace

FileIdentity FileIdentity::of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return {path};
  return {path, file.st_dev, file.st_ino};
}

bool FileIdentity::still_there() const {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && file.st_dev == device && file.st_ino == inode;
}

void StorePlace::set_log(const std::string& path) {
  auto log = FileIdentity::of(path);
  const std::lock_guard lock{mutex_};
  log_ = std::move(log);
}

bool StorePlace::has_log() const {
  const std::lock_guard lock{mutex_};
  return log_.path.empty() || log_.still_there();
}

std::shared_ptr<rocksdb::FileSystem> quick_file_system(std::shared_ptr<StorePlace> place) {
  return std::make_shared<QuickFileSystem>(rocksdb::FileSystem::Default(), std::move(place));
}

}  // namespace catena::storage
