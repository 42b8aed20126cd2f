#include "lang/file/file_value.hpp"

#include <fmt/format.h>

#include "base/time.hpp"
#include "lang/document/json_sax.hpp"

namespace catena::lang {
namespace {

Json told_by(const FileVersion& version, FileAttribute attribute) {
  switch (attribute) {
    case FileAttribute::path: return version.path;
    case FileAttribute::file_name: return file_name_of(version.path);
    case FileAttribute::directory: return directory_of(version.path);
    case FileAttribute::added_on: return iso8601(version.added_on);
    case FileAttribute::owner: return version.owner;
    case FileAttribute::group: return version.group;
    case FileAttribute::size: return version.size;
    case FileAttribute::version_id: return version.version_id;
    case FileAttribute::metadata: return version.metadata;
  }
  return nullptr;
}

}  // namespace

Result<Json> file_attribute(std::string_view path, FileAttribute attribute, const FileReader* files) {
  auto normal = normal_file_path(path);
  if (!normal) return fail(std::move(normal.error()));
  if (attribute == FileAttribute::path) return Json(*normal);
  if (attribute == FileAttribute::file_name) return Json(file_name_of(*normal));
  if (attribute == FileAttribute::directory) return Json(directory_of(*normal));
  const auto reader = reachable(files);
  if (!reader) return fail(reader.error());
  const auto version = (*reader)->describe(*normal, "");
  if (!version) return fail(version.error());
  return told_by(*version, attribute);
}

Result<std::string> file_text(std::string_view path, std::string_view version_id, const FileReader* files) {
  const auto normal = normal_file_path(path);
  if (!normal) return fail(normal.error());
  const auto reader = reachable(files);
  if (!reader) return fail(reader.error());
  auto content = (*reader)->read(*normal, version_id);
  if (!content) return content;
  if (const auto bad = find_invalid_utf8(*content)) {
    return fail(Code::file_not_text, fmt::format("the content of '{}' is not UTF-8 text (the byte at offset {} is wrong)", path, *bad));
  }
  return content;
}

Json to_json(const FileVersion& version) {
  return Json{{"path", version.path},
              {"file_name", file_name_of(version.path)},
              {"version_id", version.version_id},
              {"size", version.size},
              {"added_on", iso8601(version.added_on)},
              {"owner", version.owner},
              {"group", version.group},
              {"metadata", version.metadata},
              {"sha256", version.sha256}};
}

std::string file_name_of(std::string_view path) { return std::string{path.substr(path.rfind('/') + 1)}; }

std::string directory_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string{path.substr(0, slash)};
}

Result<const FileReader*> reachable(const FileReader* files) {
  if (files != nullptr) return files;
  return fail(Code::feature_unavailable, "no file store can be reached from here; a chain that runs has one");
}

}  // namespace catena::lang
