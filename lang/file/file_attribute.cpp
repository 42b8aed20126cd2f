#include "lang/file/file_attribute.hpp"

#include <algorithm>
#include <array>

namespace catena::lang {
namespace {

// Two dialects gave the path and the directory two names each.
constexpr std::array kAttributes{
    FileAttributeRow{"path", FileAttribute::path, true},           FileAttributeRow{"full_path", FileAttribute::path, true},
    FileAttributeRow{"file_name", FileAttribute::file_name, true}, FileAttributeRow{"parent_directory", FileAttribute::directory, true},
    FileAttributeRow{"file_path", FileAttribute::directory, true}, FileAttributeRow{"added_on", FileAttribute::added_on, false},
    FileAttributeRow{"owner", FileAttribute::owner, false},        FileAttributeRow{"group", FileAttribute::group, false},
    FileAttributeRow{"size", FileAttribute::size, false},          FileAttributeRow{"version_id", FileAttribute::version_id, false},
    FileAttributeRow{"metadata", FileAttribute::metadata, false},
};

}  // namespace

const FileAttributeRow* find_file_attribute(std::string_view name) {
  const auto* row = std::ranges::find(kAttributes, name, &FileAttributeRow::name);
  return row == kAttributes.end() ? nullptr : row;
}

const std::vector<std::string>& file_attribute_names() {
  static const auto names = [] {
    std::vector<std::string> made;
    for (const auto& row : kAttributes) made.emplace_back(row.name);
    return made;
  }();
  return names;
}

}  // namespace catena::lang
