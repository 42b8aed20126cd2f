#pragma once
// What a file of the file store is as a value.
#include <string>
#include <string_view>

#include "lang/file/file_attribute.hpp"
#include "lang/file/file_port.hpp"

namespace catena::lang {

/// `files` may be null: feature_unavailable where the store has to be asked. Errors: those of the reader.
[[nodiscard]] Result<Json> file_attribute(std::string_view path, FileAttribute attribute, const FileReader* files);

/// The text of a version; an empty version_id is the latest. Errors: file_not_text, those of the reader.
[[nodiscard]] Result<std::string> file_text(std::string_view path, std::string_view version_id, const FileReader* files);

/// All that is known of a version, as an object.
[[nodiscard]] Json to_json(const FileVersion& version);

/// /a/b.txt -> b.txt, /a. The path is normal.
[[nodiscard]] std::string file_name_of(std::string_view path);
[[nodiscard]] std::string directory_of(std::string_view path);

/// Error: feature_unavailable.
[[nodiscard]] Result<const FileReader*> reachable(const FileReader* files);

}  // namespace catena::lang
