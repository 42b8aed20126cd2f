#pragma once
// A file store in a map: what process tools get their files from in tests.
#include <map>
#include <mutex>
#include <vector>

#include "lang/file_port.hpp"

namespace catena::worker::test {

class MapFiles final : public lang::FileStore {
 public:
  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view) const override {
    const std::scoped_lock lock{mutex_};
    const auto found = files_.find(path);
    if (found == files_.end()) return fail(Code::file_not_found, "the file store has no file '" + std::string{path} + "'");
    lang::FileVersion version;
    version.path = found->first;
    version.size = found->second.content.size();
    version.owner = found->second.owner;
    version.version_id = "v1";
    return version;
  }
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view version_id) const override {
    if (auto there = describe(path, version_id); !there) return fail(there.error());
    const std::scoped_lock lock{mutex_};
    return files_.find(path)->second.content;
  }
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view, std::string_view, std::size_t) const override {
    return fail(Code::internal, "no tool lists files");
  }
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view) const override {
    return fail(Code::internal, "no tool asks for versions");
  }
  [[nodiscard]] Result<lang::FileVersion> put(const lang::NewFile& file) override {
    if (refuse) return fail(*refuse);
    {
      const std::scoped_lock lock{mutex_};
      files_.insert_or_assign(file.path, file);
    }
    return describe(file.path, {});
  }
  [[nodiscard]] Result<bool> remove(std::string_view) override { return fail(Code::internal, "no tool removes files"); }
  [[nodiscard]] Result<std::uint64_t> remove_directory(std::string_view) override { return fail(Code::internal, "no tool removes files"); }

  void add(const std::string& path, std::string content) {
    lang::NewFile file;
    file.path = path;
    file.content = std::move(content);
    files_[path] = std::move(file);
  }
  [[nodiscard]] const lang::NewFile& at(const std::string& path) const { return files_.at(path); }
  [[nodiscard]] std::size_t size() const { return files_.size(); }

  std::optional<Error> refuse;  // what put answers

 private:
  mutable std::mutex mutex_;
  std::map<std::string, lang::NewFile, std::less<>> files_;
};

}  // namespace catena::worker::test
