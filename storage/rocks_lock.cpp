#include "storage/rocks_lock.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "storage/owner_file.hpp"

namespace catena::storage {
namespace {

constexpr int kLookEveryMs = 5;
constexpr int kLooksAtEnding = 400;

/// RocksDB has no status of its own for a lock that is taken.
bool says_locked(const rocksdb::Status& status) {
  const auto text = status.ToString();
  return status.IsIOError() && (text.find("While lock file") != std::string::npos || text.find("lock hold by current process") != std::string::npos);
}

}  // namespace

Result<RocksLock> RocksLock::take(const std::filesystem::path& directory, const std::filesystem::path& owner_file) {
  const auto path = (directory / "LOCK").string();
  rocksdb::FileLock* lock = nullptr;
  auto status = rocksdb::FileSystem::Default()->LockFile(path, {}, &lock, nullptr);
  // Who starts again right after kill -9 may come before the kernel has let go of the locks of the dead.
  for (int look = 0; look < kLooksAtEnding && says_locked(status) && owner_is_ending(owner_file); ++look) {
    ::poll(nullptr, 0, kLookEveryMs);
    status = rocksdb::FileSystem::Default()->LockFile(path, {}, &lock, nullptr);
  }
  if (says_locked(status)) {
    return fail(Code::storage_locked,
                fmt::format("the data directory '{}' is in use by {}; wait for it, stop it, or give this process another data directory",
                            directory.string(), describe_owner(owner_file)));
  }
  if (!status.ok()) {
    auto error =
        make_error(Code::storage_io,
                   fmt::format("cannot lock the data directory '{}'; check the disk and the permissions of the data directory", directory.string()));
    error.notes.push_back("the database says: " + status.ToString());
    return fail(std::move(error));
  }
  RocksLock taken{lock, FileIdentity::of(path)};
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return fail(Code::storage_io, fmt::format("cannot take the rights of others off '{}'; is it another user's?", path));
  }
  return taken;
}

RocksLock::RocksLock(RocksLock&& other) noexcept : lock_{std::exchange(other.lock_, nullptr)}, file_{std::move(other.file_)} {}

RocksLock::~RocksLock() {
  if (lock_ != nullptr) rocksdb::FileSystem::Default()->UnlockFile(lock_, {}, nullptr).PermitUncheckedError();
}

}  // namespace catena::storage
