#pragma once
// A file store in a map, as lang/file/file_port.hpp wants it.
#include <fnmatch.h>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "lang/file/file_port.hpp"

namespace catena::worker::test {

class MemoryFiles final : public lang::FileStore {
 public:
  struct Kept {
    lang::FileVersion version;
    std::string content;
    std::string put_by;
  };

  MemoryFiles() : clock_{own_clock_} {}
  explicit MemoryFiles(const Clock& clock) : clock_{clock} {}

  std::optional<Error> refuse;  // what put answers

  void add(const std::string& path, std::string content) {
    lang::NewFile file;
    file.path = path;
    file.content = std::move(content);
    static_cast<void>(put(file).value());
  }
  /// The latest version.
  [[nodiscard]] const Kept& at(const std::string& path) const { return files_.at(path).versions.back(); }
  [[nodiscard]] std::size_t size() const { return files_.size(); }

  Result<lang::FileVersion> describe(std::string_view path, std::string_view version_id) const override {
    const std::scoped_lock lock{mutex_};
    const auto kept = find(path, version_id);
    if (!kept) return fail(kept.error());
    return (*kept)->version;
  }
  Result<std::string> read(std::string_view path, std::string_view version_id) const override {
    const std::scoped_lock lock{mutex_};
    const auto kept = find(path, version_id);
    if (!kept) return fail(kept.error());
    return (*kept)->content;
  }
  Result<std::vector<lang::FileVersion>> list(std::string_view directory, std::string_view pattern, std::size_t most) const override {
    const std::scoped_lock lock{mutex_};
    const auto normal = lang::normal_file_path(directory);
    if (!normal) return fail(normal.error());
    std::vector<lang::FileVersion> found;
    for (const auto& [path, file] : files_) {
      const auto slash = path.rfind('/');
      const bool here = (slash == 0 ? "/" : path.substr(0, slash)) == *normal;
      const std::string glob{pattern.empty() ? "*" : pattern};
      if (here && !file.removed && ::fnmatch(glob.c_str(), path.c_str() + slash + 1, 0) == 0 && found.size() < most) {
        found.push_back(file.versions.back().version);
      }
    }
    return found;
  }
  Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override {
    const std::scoped_lock lock{mutex_};
    const auto latest = find(path, "");
    if (!latest) return fail(latest.error());
    std::vector<lang::FileVersion> all;
    for (const auto& kept : files_.at((*latest)->version.path).versions) all.insert(all.begin(), kept.version);
    return all;
  }
  Result<lang::FileVersion> put(const lang::NewFile& file) override {
    if (refuse) return fail(*refuse);
    const auto path = lang::normal_file_path(file.path);
    if (!path) return fail(path.error());
    const std::scoped_lock lock{mutex_};
    auto& kept = files_[*path];
    for (const auto& there : kept.versions) {
      if (!file.put_by.empty() && there.put_by == file.put_by && there.content == file.content) return there.version;
    }
    lang::FileVersion version{*path,
                              "v" + std::to_string(kept.versions.size() + 1),
                              file.content.size(),
                              clock_.now(),
                              file.owner,
                              file.group,
                              file.metadata,
                              sha256_hex(file.content)};
    kept.versions.push_back({version, file.content, file.put_by});
    kept.removed = false;
    return version;
  }
  Result<bool> remove(std::string_view path) override {
    const std::scoped_lock lock{mutex_};
    const auto normal = lang::normal_file_path(path);
    if (!normal) return fail(normal.error());
    const auto found = files_.find(*normal);
    if (found == files_.end() || found->second.removed) return false;
    found->second.removed = true;
    return true;
  }
  Result<std::uint64_t> remove_directory(std::string_view directory) override {
    const std::scoped_lock lock{mutex_};
    const auto normal = lang::normal_file_path(directory);
    if (!normal) return fail(normal.error());
    std::uint64_t count = 0;
    for (auto& [path, file] : files_) {
      if (!path.starts_with(*normal + "/") || file.removed) continue;
      file.removed = true;
      ++count;
    }
    return count;
  }

 private:
  struct File {
    std::vector<Kept> versions;
    bool removed = false;
  };
  Result<const Kept*> find(std::string_view path, std::string_view version_id) const {
    const auto normal = lang::normal_file_path(path);
    if (!normal) return fail(normal.error());
    const auto found = files_.find(*normal);
    if (found == files_.end() || (version_id.empty() && found->second.removed))
      return fail(Code::file_not_found, "there is no file '" + *normal + "'");
    if (version_id.empty()) return &found->second.versions.back();
    for (const auto& kept : found->second.versions) {
      if (kept.version.version_id == version_id) return &kept;
    }
    return fail(Code::file_version_not_found, "'" + *normal + "' has no version '" + std::string{version_id} + "'");
  }

  ManualClock own_clock_{1'700'000'000'000};
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
};

}  // namespace catena::worker::test
