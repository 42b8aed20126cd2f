#pragma once
// Versioned files: for each path its latest record, a record of each version, and the content as a content-addressed blob in parts.
// Nothing is ever overwritten: a version, once put, reads the same for ever, also after its file was removed. Metadata is opaque here.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/keys.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

inline constexpr std::size_t kFileBytesMax = 64UL << 20U;
inline constexpr std::size_t kFileMetadataBytesMax = 64UL << 10U;
/// Of a content's parts, but the last. On disk: a content that is there already has parts of this size.
inline constexpr std::size_t kFilePartBytes = 1UL << 20U;

/// One version of a file.
struct FileRecord {
  std::uint64_t version = 0;  // from 1, never used twice for a path
  std::uint64_t size = 0;     // bytes
  UnixMillis added_on = 0;
  std::string owner;
  std::string group;
  std::string metadata{"{}"};  // JSON text
  std::string sha256;          // of the content
  std::string put_by;          // idempotency key of who put it; empty: nobody's
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// What there is of a path.
struct FileState {
  FileRecord latest;  // also of a removed file: its number is where the count goes on
  bool removed = false;
  friend bool operator==(const FileState&, const FileState&) = default;
};

// Writing. Parts first, in as many batches as wanted; the version's record last, with a durability of at least theirs: a content counts
// once a record names it.
[[nodiscard]] std::uint32_t file_parts(std::uint64_t size);
/// One part of `content`, from 0.
void put_file_part(Batch& batch, std::string_view sha256, std::string_view content, std::uint32_t part);
/// The next version of the file. Errors: file_path_invalid.
[[nodiscard]] Result<void> put_file_version(Batch& batch, std::string_view path, const FileRecord& record);
/// Takes the file, whose state is `state`, off the lists.
[[nodiscard]] Result<void> remove_file(Batch& batch, std::string_view path, const FileState& state);

// Reading. Nothing where there is no such record, storage_corrupt where it is damaged.
[[nodiscard]] Result<std::optional<FileState>> load_file(const Kv& kv, std::string_view path);
[[nodiscard]] Result<std::optional<FileRecord>> load_file_version(const Kv& kv, std::string_view path, std::uint64_t version);
/// The version that this putter made of this content.
[[nodiscard]] Result<std::optional<std::uint64_t>> load_file_put(const Kv& kv, std::string_view path, std::string_view put_by,
                                                                 std::string_view sha256);
/// All parts of it are in the store: parts are written in order, so the last one tells.
[[nodiscard]] Result<bool> has_file_content(const Kv& kv, std::string_view sha256, std::uint64_t size);
/// The content in pieces of at most kFilePartBytes. The visitor answers false to stop.
using PartVisitor = std::function<bool(std::string_view part)>;
[[nodiscard]] Result<void> scan_file_content(const Kv& kv, std::string_view path, const FileRecord& record, const PartVisitor& visitor);
/// One of those pieces, from 0: part of the content while part < file_parts(record.size).
[[nodiscard]] Result<std::string> load_file_part(const Kv& kv, std::string_view path, const FileRecord& record, std::uint32_t part);
[[nodiscard]] Result<std::string> load_file_content(const Kv& kv, std::string_view path, const FileRecord& record);

using FileVisitor = std::function<bool(std::string_view path, const FileRecord& latest)>;
/// Files in a directory, not below it, whose name fits the glob (empty: all); by name. Removed ones are passed over. `after`: a path that
/// such a scan has met, to go on behind it; empty: from the first.
[[nodiscard]] Result<void> scan_directory(const Kv& kv, std::string_view directory, const std::string& pattern, const FileVisitor& visitor,
                                          std::string_view after = {});
/// Files in a directory and below it, one directory after another.
[[nodiscard]] Result<void> scan_tree(const Kv& kv, std::string_view directory, const FileVisitor& visitor, std::string_view after = {});
/// The directories directly below one that have files in or below them, by name: "/a/b". At most so many, behind `after`.
[[nodiscard]] Result<std::vector<std::string>> list_subdirectories(const Kv& kv, std::string_view directory, std::string_view after = {},
                                                                   std::size_t most = SIZE_MAX);
/// Newest first; also those of a removed file. `before`: a version, to go on with those older than it; 0: from the newest.
using FileVersionVisitor = std::function<bool(const FileRecord& record)>;
[[nodiscard]] Result<void> scan_file_versions(const Kv& kv, std::string_view path, const FileVersionVisitor& visitor, std::uint64_t before = 0);

}  // namespace catena::storage
