#include "storage/rocks_file_system.hpp"

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.hpp"

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

/// A log that is synced often has room before it grows into it: zeros that were written ahead. A sync of a file that has grown waits for the file
/// system to write down its new size too. RocksDB reads zeros as the end of a log, and LogGuard lets nothing in that stands behind a gap.
class RoomyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  RoomyFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::string& path)
      : FSWritableFileOwnerWrapper{std::move(file)}, zeros_to_{::open(path.c_str(), O_WRONLY | O_CLOEXEC)} {}
  RoomyFile(const RoomyFile&) = delete;
  RoomyFile& operator=(const RoomyFile&) = delete;
  ~RoomyFile() override { cut(); }

  IOStatus Append(const rocksdb::Slice& bytes, const IOOptions& options, IODebugContext* debug) override {
    make_room(bytes.size());
    return note(bytes.size(), FSWritableFileOwnerWrapper::Append(bytes, options, debug));
  }
  IOStatus Append(const rocksdb::Slice& bytes, const IOOptions& options, const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    make_room(bytes.size());
    return note(bytes.size(), FSWritableFileOwnerWrapper::Append(bytes, options, verification, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    unsynced_ = 0;
    return FSWritableFileOwnerWrapper::Sync(options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    cut();
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

 private:
  // Whole blocks of the log's format: no header of a record is cut by the end of the file.
  static constexpr std::uint64_t kBlock = 32UL << 10U;
  // Few logs of a process that ends soon come so far.
  static constexpr std::uint64_t kRoomFrom = 16UL << 10U;
  static constexpr std::uint64_t kRoomMax = 512UL << 10U;
  // Where so much comes between two syncs, what the size takes is not felt.
  static constexpr std::uint64_t kOftenBytes = 64UL << 10U;

  /// Without room the log only grows, as it did before.
  void make_room(std::uint64_t bytes) {
    const auto end = size_ + bytes;
    if (end <= room_ || size_ < kRoomFrom || unsynced_ + bytes > kOftenBytes || !zeros_to_.is_open()) return;
    static const std::string kZeros(kRoomMax + 2 * kOftenBytes + kBlock, '\0');
    const auto room = (end + std::min(end, kRoomMax) + kBlock - 1) / kBlock * kBlock;
    const auto written = ::pwrite(zeros_to_.get(), kZeros.data(), room - size_, static_cast<::off_t>(size_));
    room_ = room;
    if (written == static_cast<::ssize_t>(room - size_)) return;
    cut();
    zeros_to_.close();
  }
  IOStatus note(std::uint64_t bytes, IOStatus appended) {
    if (appended.ok()) size_ += bytes;
    unsynced_ += bytes;
    return appended;
  }
  void cut() {
    if (room_ > size_ && ::ftruncate(zeros_to_.get(), static_cast<::off_t>(size_)) == 0) room_ = size_;
  }

  Fd zeros_to_;
  std::uint64_t size_ = 0;      // that was appended
  std::uint64_t room_ = 0;      // where the zeros end
  std::uint64_t unsynced_ = 0;  // appended since the last sync
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
    if (path.ends_with(".log")) {
      place_->set_log(path);
      *result = std::make_unique<RoomyFile>(std::move(*result), path);
    }
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
  // Times are not asked for: a kernel with fine time stamps (Linux 6.13) notes that they were, and the next write and sync of the file wait for a new
  // one to be written down.
  struct statx file {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO, &file) == 0) return {path, makedev(file.stx_dev_major, file.stx_dev_minor), file.stx_ino};
  struct stat known {};
  const bool refused = errno == EPERM || errno == ENOSYS;  // by a container that does not know this call
  if (!refused || ::stat(path.c_str(), &known) != 0) return {path};
  return {path, known.st_dev, known.st_ino};
}

bool FileIdentity::still_there() const {
  const auto now = of(path);
  return now.inode != 0 && now.inode == inode && now.device == device;
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
