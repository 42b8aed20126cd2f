#include "storage/rocks_file_system.hpp"

#include <rocksdb/file_system.h>

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

class QuickFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  [[nodiscard]] const char* Name() const override { return "catena.quick"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options, std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewWritableFile(path, options, result, debug);
    if (status.ok() && is_note(path)) *result = std::make_unique<UnsyncedFile>(std::move(*result));
    return status;
  }

  IOStatus NewDirectory(const std::string& path, const IOOptions& options, std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewDirectory(path, options, result, debug);
    if (status.ok()) *result = std::make_unique<QuickDirectory>(std::move(*result));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> quick_file_system() { return std::make_shared<QuickFileSystem>(rocksdb::FileSystem::Default()); }

}  // namespace catena::storage
