#pragma once
// A file store in memory, with the two versions of /data/a.txt that the examples of the functions read.
#include <fmt/format.h>
#include <fnmatch.h>

#include <map>
#include <string>
#include <vector>

#include "lang/file/file_port.hpp"

namespace catena::lang::test {

/// When the examples run.
inline constexpr UnixMillis kNow = 1'767'323'045'678;

class MemoryFiles final : public FileReader {
 public:
  void put(const std::string& path, std::string content) {
    auto& versions = files_[path];
    FileVersion version;
    version.path = path;
    version.version_id = fmt::format("v{}", versions.size() + 1);
    version.size = content.size();
    version.added_on = kNow;
    version.owner = "ann";
    version.group = "staff";
    version.metadata = Json{{"lang", "en"}, {"tags", {"x", "y"}}};
    version.sha256 = "sum-of-" + version.version_id;
    versions.push_back({std::move(version), std::move(content)});
  }

  Result<FileVersion> describe(std::string_view path, std::string_view version_id) const override {
    const auto* kept = find(path, version_id);
    if (kept == nullptr) return missing(path, version_id);
    return kept->version;
  }
  Result<std::string> read(std::string_view path, std::string_view version_id) const override {
    const auto* kept = find(path, version_id);
    if (kept == nullptr) return missing(path, version_id);
    return kept->content;
  }
  Result<std::vector<FileVersion>> list(std::string_view directory, std::string_view pattern, std::size_t most) const override {
    std::vector<FileVersion> found;
    for (const auto& [path, versions] : files_) {
      const auto slash = path.rfind('/');
      if (path.substr(0, slash) != directory || found.size() == most) continue;
      const bool fits = pattern.empty() || fnmatch(std::string{pattern}.c_str(), path.c_str() + slash + 1, 0) == 0;
      if (fits) found.push_back(versions.back().version);
    }
    return found;
  }
  Result<std::vector<FileVersion>> versions(std::string_view path) const override {
    const auto file = files_.find(std::string{path});
    if (file == files_.end()) return fail(missing(path, "").value());
    std::vector<FileVersion> found;
    for (auto kept = file->second.rbegin(); kept != file->second.rend(); ++kept) found.push_back(kept->version);
    return found;
  }

 private:
  struct Kept {
    FileVersion version;
    std::string content;
  };

  [[nodiscard]] const Kept* find(std::string_view path, std::string_view version_id) const {
    const auto file = files_.find(std::string{path});
    if (file == files_.end()) return nullptr;
    if (version_id.empty()) return &file->second.back();
    for (const auto& kept : file->second) {
      if (kept.version.version_id == version_id) return &kept;
    }
    return nullptr;
  }
  [[nodiscard]] tl::unexpected<Error> missing(std::string_view path, std::string_view version_id) const {
    if (files_.contains(std::string{path})) return fail(Code::file_version_not_found, fmt::format("'{}' has no version '{}'", path, version_id));
    return fail(Code::file_not_found, fmt::format("there is no file '{}'", path));
  }

  std::map<std::string, std::vector<Kept>> files_;
};

inline MemoryFiles example_files() {
  MemoryFiles files;
  files.put("/data/a.txt", "old");
  files.put("/data/a.txt", "hello");
  files.put("/data/b.csv", "1,2");
  files.put("/data/deep/c.txt", "deep");
  files.put("/data/picture.png", "\x89PNG\xff");
  return files;
}

}  // namespace catena::lang::test
