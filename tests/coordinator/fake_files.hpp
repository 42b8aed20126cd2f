#pragma once
// A file store in memory that counts what it is asked.
#include <map>
#include <string>

#include "lang/file/file_port.hpp"

namespace catena::coordinator::test {

class FakeFiles final : public lang::FileReader {
 public:
  std::map<std::string, std::string> content;
  mutable std::size_t reads = 0;

  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view) const override {
    const auto found = content.find(std::string{path});
    if (found == content.end()) return missing(path);
    lang::FileVersion version;
    version.path = found->first;
    version.version_id = "v1";
    version.size = found->second.size();
    return version;
  }
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view) const override {
    ++reads;
    const auto found = content.find(std::string{path});
    if (found == content.end()) return missing(path);
    return found->second;
  }
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view, std::string_view, std::size_t most) const override {
    std::vector<lang::FileVersion> versions;
    for (const auto& [path, text] : content) {
      if (versions.size() < most) versions.push_back(describe(path, {}).value());
    }
    return versions;
  }
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override {
    auto latest = describe(path, {});
    if (!latest) return fail(latest.error());
    return std::vector{std::move(*latest)};
  }

 private:
  static tl::unexpected<Error> missing(std::string_view path) { return fail(Code::file_not_found, "no file " + std::string{path}); }
};

}  // namespace catena::coordinator::test
