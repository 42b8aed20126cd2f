// Questions about the file store.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "coordinator/file_service.hpp"
#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {
namespace {

// A cursor says what the last row was, and its path: "d/a/b" a directory, "f/a/b.txt" a file.
constexpr char kBehindDirectory = 'd';
constexpr char kBehindFile = 'f';

tl::unexpected<Error> bad_file_cursor() { return fail(Code::usage, "the cursor is not one that a page of files had; begin without a cursor"); }

struct FileCursor {
  char behind = 0;  // 0: the beginning
  std::string path;
};

Result<FileCursor> read_file_cursor(const std::string& cursor) {
  if (cursor.empty()) return FileCursor{};
  FileCursor read{cursor.front(), cursor.substr(1)};
  const auto normal = lang::normal_file_path(read.path);
  const bool known = read.behind == kBehindDirectory || read.behind == kBehindFile;
  if (!known || !normal || *normal != read.path || read.path == "/") return bad_file_cursor();
  return read;
}

/// Fills one page.
class FilePageWriter {
 public:
  explicit FilePageWriter(std::uint32_t limit) : rows_{page_rows(limit)} {}

  /// False: it is full, and the file is not in it.
  bool add(std::string_view path, const storage::FileRecord& record) {
    if (full()) {
      page.cursor = last_;
      return false;
    }
    page.files.push_back(to_file_version(std::string{path}, record));
    bytes_ += path.size() + record.metadata.size() + record.owner.size() + record.group.size();
    last_ = kBehindFile + std::string{path};
    return true;
  }
  void add_directory(std::string path) {
    bytes_ += path.size();
    last_ = kBehindDirectory + path;
    page.directories.push_back(std::move(path));
  }
  [[nodiscard]] bool full() const { return left() == 0 || bytes_ > kPageBytesMax; }
  [[nodiscard]] std::size_t left() const { return rows_ - page.directories.size() - page.files.size(); }
  void end_here() { page.cursor = last_; }

  FilePage page;

 private:
  std::size_t rows_;
  std::size_t bytes_ = 0;
  std::string last_;
};

}  // namespace

std::string cursor_behind_file(const std::string& path) { return kBehindFile + path; }

Result<FoundFile> Inspector::answer(const FindFile& ask) {
  auto path = lang::normal_file_path(ask.path);
  if (!path) return fail(std::move(path).error());
  if (*path == "/") return FoundFile{};
  auto state = storage::load_file(kv_, *path);
  if (!state) return fail(std::move(state).error());
  if (!*state) return FoundFile{};
  if ((*state)->removed) return FoundFile{std::nullopt, true};
  return FoundFile{to_file_version(std::move(*path), (*state)->latest), false};
}

Result<FilePage> Inspector::answer(const ListFiles& ask) {
  const auto path = lang::normal_file_path(ask.path);
  if (!path) return fail(path.error());
  const auto cursor = read_file_cursor(ask.cursor);
  if (!cursor) return fail(cursor.error());
  FilePageWriter writer{ask.limit};
  const auto visit = [&](std::string_view file, const storage::FileRecord& latest) { return writer.add(file, latest); };
  if (cursor->behind == 0 && *path != "/") {
    const auto state = storage::load_file(kv_, *path);
    if (!state) return fail(state.error());
    if (*state && !(*state)->removed) writer.add(*path, (*state)->latest);
  }
  const bool in_files = cursor->behind == kBehindFile && cursor->path != *path;
  const std::string_view after = in_files ? std::string_view{cursor->path} : std::string_view{};
  if (!ask.recursive && !in_files) {
    // One more than fits tells whether there is one.
    const auto room = writer.left();
    const std::string_view behind = cursor->behind == kBehindDirectory ? std::string_view{cursor->path} : std::string_view{};
    auto directories = storage::list_subdirectories(kv_, *path, behind, room + 1);
    if (!directories) return fail(std::move(directories).error());
    for (auto& directory : *directories) {
      if (writer.full()) {
        writer.end_here();
        return std::move(writer.page);
      }
      writer.add_directory(std::move(directory));
    }
  }
  const auto listed = ask.recursive ? storage::scan_tree(kv_, *path, visit, after) : storage::scan_directory(kv_, *path, {}, visit, after);
  if (!listed) return fail(listed.error());
  return std::move(writer.page);
}

Result<FilePage> Inspector::answer(const ListFileVersions& ask) {
  const auto path = lang::normal_file_path(ask.path);
  if (!path) return fail(path.error());
  std::uint64_t before = 0;
  if (!ask.cursor.empty()) {
    const auto* const end = ask.cursor.data() + ask.cursor.size();
    const auto [read_to, failed] = std::from_chars(ask.cursor.data(), end, before);
    if (failed != std::errc{} || read_to != end || before == 0) return bad_file_cursor();
  }
  FilePageWriter writer{ask.limit};
  const auto scanned = storage::scan_file_versions(
      kv_, *path,
      [&](const storage::FileRecord& record) {
        if (!writer.add(*path, record)) return false;
        before = record.version;
        return true;
      },
      before);
  if (!scanned) return fail(scanned.error());
  if (!writer.page.cursor.empty()) writer.page.cursor = std::to_string(before);
  if (writer.page.files.empty() && ask.cursor.empty()) {
    if (auto there = find_file(kv_, *path, {}); !there) return fail(std::move(there).error());
  }
  return std::move(writer.page);
}

Result<FilePiece> Inspector::answer(const ReadFile& ask) {
  const auto path = lang::normal_file_path(ask.path);
  if (!path) return fail(path.error());
  const auto record = find_file(kv_, *path, ask.version_id);
  if (!record) return fail(record.error());
  const auto parts = storage::file_parts(record->size);
  FilePiece piece{version_id_of(record->version), {}, 0};
  if (parts == 0 && ask.piece == 0) return piece;
  if (ask.piece >= parts) return fail(Code::usage, fmt::format("'{}' has no piece {}", *path, ask.piece));
  auto content = storage::load_file_part(kv_, *path, *record, ask.piece);
  if (!content) return fail(std::move(content).error());
  piece.content = std::move(*content);
  if (ask.piece + 1 < parts) piece.next = ask.piece + 1;
  return piece;
}

}  // namespace catena::coordinator
