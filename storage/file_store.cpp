#include "storage/file_store.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/hash.hpp"
#include "storage/bytes.hpp"
#include "storage/chain_store.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

// Flags of a file's record. The numbers are on disk.
constexpr unsigned char kFileRemoved = 1;

/// Apart from the blobs of values: theirs may be cut into other parts.
std::string blob_name(std::string_view sha256) { return fmt::format("file-{}", sha256); }

std::string put_mark(std::string_view put_by, std::string_view sha256) { return sha256_hex(fmt::format("{}\n{}", sha256, put_by)); }

void append_text(std::string& out, std::string_view text) {
  append_be32(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

void append(std::string& out, const FileRecord& record) {
  append_be64(out, record.version);
  append_be64(out, record.size);
  append_be64(out, static_cast<std::uint64_t>(record.added_on));
  for (const auto* text : {&record.owner, &record.group, &record.metadata, &record.sha256, &record.put_by}) append_text(out, *text);
}

/// Takes values off the front of a payload; after the first that is not there nothing more is.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_{bytes} {}
  std::uint64_t number() {
    const auto bytes = take(8);
    return bytes.empty() ? 0 : read_be64(bytes);
  }
  std::string text() {
    const auto size = take(4);
    return size.empty() ? std::string{} : std::string{take(read_be32(size))};
  }
  unsigned char byte() {
    const auto bytes = take(1);
    return bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  }
  /// Everything was there, and nothing else.
  [[nodiscard]] bool complete() const { return whole_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    whole_ = whole_ && rest_.size() >= size;
    if (!whole_) return {};
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool whole_ = true;
};

FileRecord read_file_record(Reader& from) {
  FileRecord record;
  record.version = from.number();
  record.size = from.number();
  record.added_on = static_cast<UnixMillis>(from.number());
  for (auto* text : {&record.owner, &record.group, &record.metadata, &record.sha256, &record.put_by}) *text = from.text();
  return record;
}

tl::unexpected<Error> corrupt(std::string_view path, std::string_view why) {
  return fail(Code::storage_corrupt,
              fmt::format("the records of file '{}' are damaged ({}); restore the data directory from a backup", keys::printable(path), why));
}

Result<FileState> decode_state(std::string_view path, std::string_view payload) {
  Reader from{payload};
  FileState state;
  const auto flags = from.byte();
  state.removed = (flags & kFileRemoved) != 0;
  state.latest = read_file_record(from);
  if (!from.complete() || (flags & ~kFileRemoved) != 0 || state.latest.version == 0)
    return corrupt(path, "its latest record does not have the form of one");
  return state;
}

Result<FileRecord> decode_version(std::string_view path, std::uint64_t version, std::string_view payload) {
  Reader from{payload};
  auto record = read_file_record(from);
  if (!from.complete() || record.version != version) return corrupt(path, fmt::format("version {} does not have the form of one", version));
  return record;
}

void put_state(Batch& batch, std::string_view path, const FileState& state) {
  std::string payload;
  payload.push_back(static_cast<char>(state.removed ? kFileRemoved : 0U));
  append(payload, state.latest);
  put_record(batch, keys::file(path), RecordKind::file, payload);
}

bool fits(std::string_view path, const std::string& pattern) {
  if (pattern.empty()) return true;
  const std::string name{path.substr(path.rfind('/') + 1)};
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string_view directory_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view{"/"} : path.substr(0, slash);
}

/// The part of a range of files that is behind a path; all of it where there is none. A path of elsewhere leads to no key out of the range.
keys::Range behind(keys::Range range, std::string_view after) {
  if (after.empty()) return range;
  range.from = std::max(range.from, keys::file(after) + '\0');
  if (range.from > range.to) range.from = range.to;
  return range;
}

/// False in `go_on` when the visitor wants no more.
Result<void> scan_files(const Kv& kv, const keys::Range& range, const std::string& pattern, const FileVisitor& visitor, bool& go_on) {
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto path = keys::path_of_file(key);
    const auto payload = open_record(RecordKind::file, value, key);
    if (!payload || !path) {
      outcome = payload ? corrupt(key, "its key names no file") : fail(payload.error());
      return false;
    }
    if (!fits(*path, pattern)) return true;
    const auto state = decode_state(*path, *payload);
    if (!state) {
      outcome = fail(state.error());
      return false;
    }
    go_on = state->removed || visitor(*path, state->latest);
    return go_on;
  });
  return scanned ? outcome : scanned;
}

}  // namespace

std::uint32_t file_parts(std::uint64_t size) { return static_cast<std::uint32_t>((size + kFilePartBytes - 1) / kFilePartBytes); }

void put_file_part(Batch& batch, std::string_view sha256, std::string_view content, std::uint32_t part) {
  put_blob(batch, blob_name(sha256), part, content.substr(part * kFilePartBytes, kFilePartBytes));
}

Result<void> put_file_version(Batch& batch, std::string_view path, const FileRecord& record) {
  if (auto valid = check_file_path(path); !valid) return valid;
  std::string payload;
  append(payload, record);
  put_record(batch, keys::file_version(path, record.version), RecordKind::file_version, payload);
  put_state(batch, path, {record, false});
  if (!record.put_by.empty()) {
    std::string number;
    append_be64(number, record.version);
    put_record(batch, keys::file_put(path, put_mark(record.put_by, record.sha256)), RecordKind::file_put, number);
  }
  return {};
}

Result<void> remove_file(Batch& batch, std::string_view path, const FileState& state) {
  if (auto valid = check_file_path(path); !valid) return valid;
  put_state(batch, path, {state.latest, true});
  return {};
}

Result<std::optional<FileState>> load_file(const Kv& kv, std::string_view path) {
  if (auto valid = check_file_path(path); !valid) return fail(valid.error());
  const auto payload = load_record(kv, keys::file(path), RecordKind::file);
  if (!payload) return fail(payload.error());
  if (!*payload) return std::nullopt;
  return decode_state(path, **payload);
}

Result<std::optional<FileRecord>> load_file_version(const Kv& kv, std::string_view path, std::uint64_t version) {
  if (auto valid = check_file_path(path); !valid) return fail(valid.error());
  const auto payload = load_record(kv, keys::file_version(path, version), RecordKind::file_version);
  if (!payload) return fail(payload.error());
  if (!*payload) return std::nullopt;
  return decode_version(path, version, **payload);
}

Result<std::optional<std::uint64_t>> load_file_put(const Kv& kv, std::string_view path, std::string_view put_by, std::string_view sha256) {
  if (auto valid = check_file_path(path); !valid) return fail(valid.error());
  const auto payload = load_record(kv, keys::file_put(path, put_mark(put_by, sha256)), RecordKind::file_put);
  if (!payload) return fail(payload.error());
  if (!*payload) return std::nullopt;
  if ((*payload)->size() != 8) return corrupt(path, "the mark of a put does not have the form of one");
  return read_be64(**payload);
}

Result<bool> has_file_content(const Kv& kv, std::string_view sha256, std::uint64_t size) {
  if (size == 0) return true;
  const auto last = load_record(kv, keys::blob(blob_name(sha256), file_parts(size) - 1), RecordKind::blob);
  if (!last) return fail(last.error());
  return last->has_value();
}

Result<std::string> load_file_part(const Kv& kv, std::string_view path, const FileRecord& record, std::uint32_t part) {
  const auto payload = load_record(kv, keys::blob(blob_name(record.sha256), part), RecordKind::blob);
  if (!payload) return fail(payload.error());
  const auto expected = std::min<std::uint64_t>(record.size - part * std::uint64_t{kFilePartBytes}, kFilePartBytes);
  if (!*payload || (*payload)->size() != expected)
    return corrupt(path, fmt::format("part {} of the content of version {} is missing", part, record.version));
  return **payload;
}

Result<void> scan_file_content(const Kv& kv, std::string_view path, const FileRecord& record, const PartVisitor& visitor) {
  const auto parts = file_parts(record.size);
  for (std::uint32_t part = 0; part < parts; ++part) {
    const auto piece = load_file_part(kv, path, record, part);
    if (!piece) return fail(piece.error());
    if (!visitor(*piece)) return {};
  }
  return {};
}

Result<std::string> load_file_content(const Kv& kv, std::string_view path, const FileRecord& record) {
  std::string content;
  content.reserve(std::min<std::uint64_t>(record.size, kFileBytesMax));
  const auto read = scan_file_content(kv, path, record, [&](std::string_view part) {
    content.append(part);
    return true;
  });
  if (!read) return fail(read.error());
  return content;
}

Result<void> scan_directory(const Kv& kv, std::string_view directory, const std::string& pattern, const FileVisitor& visitor,
                            std::string_view after) {
  bool go_on = true;
  return scan_files(kv, behind(keys::files_in(directory), after), pattern, visitor, go_on);
}

Result<void> scan_tree(const Kv& kv, std::string_view directory, const FileVisitor& visitor, std::string_view after) {
  bool go_on = true;
  if (after.empty() || directory_of(after) == directory) {
    if (auto scanned = scan_files(kv, behind(keys::files_in(directory), after), {}, visitor, go_on); !scanned || !go_on) return scanned;
    after = {};
  }
  return scan_files(kv, behind(keys::files_below(directory), after), {}, visitor, go_on);
}

Result<std::vector<std::string>> list_subdirectories(const Kv& kv, std::string_view directory, std::string_view after, std::size_t most) {
  std::set<std::string> found;
  auto [from, to] = keys::files_below(directory);
  const auto name_at = from.size();
  for (bool more = true; more;) {
    more = false;
    std::string next;
    const auto scanned = kv.scan(from, to, [&](std::string_view key, std::string_view) {
      // The files of a directory and what is below it are two ranges with others between them: either is passed over in one step.
      const auto end = key.find_first_of(std::string_view{"/\0", 2}, name_at);
      const auto name_end = std::min(end, key.size());
      found.emplace(key.substr(1, name_end - 1));
      next = std::string{key.substr(0, name_end)} + static_cast<char>((name_end < key.size() ? key[name_end] : '\0') + 1);
      more = true;
      return false;
    });
    if (!scanned) return fail(scanned.error());
    from = next;
  }
  std::vector<std::string> directories;
  for (auto at = after.empty() ? found.begin() : found.upper_bound(std::string{after}); at != found.end() && directories.size() < most; ++at) {
    const auto& candidate = *at;
    bool has_files = false;
    const auto scanned = scan_tree(kv, candidate, [&](std::string_view, const FileRecord&) {
      has_files = true;
      return false;
    });
    if (!scanned) return fail(scanned.error());
    if (has_files) directories.push_back(candidate);
  }
  return directories;
}

Result<void> scan_file_versions(const Kv& kv, std::string_view path, const FileVersionVisitor& visitor, std::uint64_t before) {
  if (auto valid = check_file_path(path); !valid) return valid;
  auto range = keys::file_versions(path);
  if (before != 0) range.from = keys::file_version(path, before) + '\0';
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::file_version, value, key);
    if (!payload) {
      outcome = fail(payload.error());
      return false;
    }
    const auto record = decode_version(path, keys::version_of_file(key).value_or(0), *payload);
    if (!record) {
      outcome = fail(record.error());
      return false;
    }
    return visitor(*record);
  });
  return scanned ? outcome : scanned;
}

}  // namespace catena::storage
