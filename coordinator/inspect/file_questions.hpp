#pragma once
// What may be asked about files of the file store: a part of questions.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/file_calls.hpp"
#include "base/codec.hpp"

namespace catena::coordinator {

struct FoundFile {
  static constexpr std::string_view kKind = "found_file";
  std::optional<lang::FileVersion> file = {};  // the latest
  bool removed = false;                        // there was one
};
struct FindFile {
  using Answer = FoundFile;
  static constexpr std::string_view kKind = "find_file";
  std::string path = {};
};
struct FilePage {
  static constexpr std::string_view kKind = "files";
  std::vector<std::string> directories = {};  // paths; they come before the files
  std::vector<lang::FileVersion> files = {};
  std::string cursor = {};  // empty: these were the last
};
/// The cursor that goes on behind a file.
[[nodiscard]] std::string cursor_behind_file(const std::string& path);
/// The file of that path, and the directories and files in it; all files below it where `recursive` is set.
struct ListFiles {
  using Answer = FilePage;
  static constexpr std::string_view kKind = "list_files";
  std::string path{"/"};
  bool recursive = false;
  std::uint32_t limit = 0;
  std::string cursor = {};
};
/// Newest first; also those of a removed file. Error: file_not_found.
struct ListFileVersions {
  using Answer = FilePage;
  static constexpr std::string_view kKind = "list_file_versions";
  std::string path = {};
  std::uint32_t limit = 0;
  std::string cursor = {};
};
struct FilePiece {
  static constexpr std::string_view kKind = "file_piece";
  std::string version_id = {};  // to be asked for in the next piece: the latest may be another by then
  std::string content = {};
  std::uint32_t next = 0;  // 0: this was the last
};
/// The content of a version in pieces. Errors: file_not_found, file_version_not_found, with what may have been meant.
struct ReadFile {
  using Answer = FilePiece;
  static constexpr std::string_view kKind = "read_file";
  std::string path = {};
  std::string version_id = {};  // empty: the latest
  std::uint32_t piece = 0;
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, FoundFile& x) {
  v("file", x.file), v("removed", x.removed);
}
template <class V>
void fields(V& v, FindFile& x) {
  v("path", x.path);
}
template <class V>
void fields(V& v, FilePage& x) {
  v("directories", x.directories), v("files", x.files), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ListFiles& x) {
  v("path", x.path), v("recursive", x.recursive), v("limit", x.limit), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, ListFileVersions& x) {
  v("path", x.path), v("limit", x.limit), v("cursor", x.cursor);
}
template <class V>
void fields(V& v, FilePiece& x) {
  v("version_id", x.version_id), v("content", x.content), v("next", x.next);
}
template <class V>
void fields(V& v, ReadFile& x) {
  v("path", x.path), v("version_id", x.version_id), v("piece", x.piece);
}

}  // namespace catena::coordinator
