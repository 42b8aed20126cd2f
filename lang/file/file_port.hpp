#pragma once
// The file store as expressions and tools see it: versioned files under paths like /reports/may.txt. A port: the coordinator stands behind
// it with the real store, tests with a map. Methods may be called from any thread and block.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::lang {

/// One version of a file.
struct FileVersion {
  std::string path;        // absolute, normal: /a/b.txt
  std::string version_id;  // "v1", "v2", …: in the order they were put
  std::uint64_t size = 0;  // bytes
  UnixMillis added_on = 0;
  std::string owner;
  std::string group;
  Json metadata = Json::object();
  std::string sha256;  // of the content
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// Where an empty version_id stands for the latest version.
/// Errors of all: file_path_invalid, file_not_found (with what is near), file_version_not_found, those of storage.
class FileReader {
 public:
  virtual ~FileReader() = default;
  [[nodiscard]] virtual Result<FileVersion> describe(std::string_view path, std::string_view version_id) const = 0;
  [[nodiscard]] virtual Result<std::string> read(std::string_view path, std::string_view version_id) const = 0;
  /// Latest versions of the files in a directory (not below it) whose name fits the glob (empty: all), by path; at most `most`.
  /// A directory without files is empty, not an error.
  [[nodiscard]] virtual Result<std::vector<FileVersion>> list(std::string_view directory, std::string_view pattern, std::size_t most) const = 0;
  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<FileVersion>> versions(std::string_view path) const = 0;
};

struct NewFile {
  std::string path;
  std::string content;
  std::string owner;
  std::string group;
  Json metadata = Json::object();
  std::string put_by;  // idempotency key of the attempt: the same key, path and content make no second version. Empty: nobody's
};

class FileStore : public FileReader {
 public:
  /// Durable when it returns. Errors: file_too_large, and those of all.
  [[nodiscard]] virtual Result<FileVersion> put(const NewFile& file) = 0;
  /// The file is no longer listed or found; its versions can still be read by their id. False: there was none.
  [[nodiscard]] virtual Result<bool> remove(std::string_view path) = 0;
  /// Everything below a directory. How many files that were.
  [[nodiscard]] virtual Result<std::uint64_t> remove_directory(std::string_view directory) = 0;
};

/// /a//b/./c.txt -> /a/b/c.txt. Refuses what is empty, relative, not UTF-8, leaves the root, has control characters or is over
/// 1024 bytes (file_path_invalid).
[[nodiscard]] Result<std::string> normal_file_path(std::string_view path);

}  // namespace catena::lang
