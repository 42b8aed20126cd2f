#pragma once
// Which definitions of a tool root are called what. Made once, when the first name is looked for there: of each file in the root, its tools/
// and its agents/ as much is read as tells its name.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::cli {

/// The endings of files that may hold a definition.
[[nodiscard]] bool may_be_definition(const std::filesystem::path& file);

class NameIndex {
 public:
  /// `root` is canonical.
  explicit NameIndex(const std::filesystem::path& root);

  /// The files that hold a definition of that name, canonical: those whose stem is the name come first, then by path. Files that are in
  /// none of the dialects are passed over, unless their ending says that they are meant as definitions.
  [[nodiscard]] std::vector<std::filesystem::path> find(std::string_view name) const;

  [[nodiscard]] std::vector<std::string> names() const;
  /// Files that may hold any name, and why it is not known.
  [[nodiscard]] const std::vector<std::string>& unread() const { return unread_; }

 private:
  void look_into(const std::filesystem::path& folder, const std::filesystem::path& root);
  void add(const std::filesystem::path& file, const std::filesystem::path& root);

  std::multimap<std::string, std::filesystem::path, std::less<>> files_;  // by name
  std::vector<std::string> unread_;
};

}  // namespace catena::cli
