#pragma once
// What a reference can ask of a file behind its path: REF:arguments.report.owner.
#include <string>
#include <string_view>
#include <vector>

namespace catena::lang {

enum class FileAttribute { path, file_name, directory, added_on, owner, group, size, version_id, metadata };

struct FileAttributeRow {
  std::string_view name;
  FileAttribute attribute;
  bool in_path;  // the path alone says it; the others ask the file store
};

/// The row of that name, or nullptr.
[[nodiscard]] const FileAttributeRow* find_file_attribute(std::string_view name);
/// For messages and suggestions.
[[nodiscard]] const std::vector<std::string>& file_attribute_names();

}  // namespace catena::lang
