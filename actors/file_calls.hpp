#pragma once
// Calls of the coordinator's file store, as nodes make them. Whoever asks has a FileStore that waits for each answer.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "lang/file/file_port.hpp"

namespace catena::lang {

template <class V>
void fields(V& v, FileVersion& x) {
  v("path", x.path);
  v("version_id", x.version_id);
  v("size", x.size);
  v("added_on", x.added_on);
  v("owner", x.owner);
  v("group", x.group);
  v("metadata", x.metadata);
  v("sha256", x.sha256);
}
template <class V>
void fields(V& v, NewFile& x) {
  v("path", x.path);
  v("content", x.content);
  v("owner", x.owner);
  v("group", x.group);
  v("metadata", x.metadata);
  v("put_by", x.put_by);
}

}  // namespace catena::lang

namespace catena::actors {

enum class FileVerb : std::uint8_t { describe, read, list, versions, put, remove, remove_directory };
[[nodiscard]] constexpr std::uint32_t count_of(FileVerb) { return static_cast<std::uint32_t>(FileVerb::remove_directory) + 1; }
[[nodiscard]] std::string_view name(FileVerb verb);
/// Asking the same once more changes nothing: the call may be made again when nobody knows whether it arrived.
[[nodiscard]] bool may_be_repeated(FileVerb verb);

struct FileAsk {
  FileVerb verb = FileVerb::describe;
  std::string path;  // also of a directory
  std::string version_id;
  std::string pattern;
  std::uint64_t most = 0;
  std::optional<lang::NewFile> file;  // of put
};
/// Bytes of the content that a call brings.
[[nodiscard]] inline std::size_t content_bytes(const FileAsk& ask) { return ask.file ? ask.file->content.size() : 0; }
struct FileReply {
  std::optional<Error> error;
  std::vector<lang::FileVersion> versions;
  std::string content;
  std::uint64_t number = 0;  // how many, or whether
};
template <class V>
void fields(V& v, FileAsk& x) {
  v("verb", x.verb);
  v("path", x.path);
  v("version_id", x.version_id);
  v("pattern", x.pattern);
  v("most", x.most);
  v("file", x.file);
}
template <class V>
void fields(V& v, FileReply& x) {
  v("error", x.error);
  v("versions", x.versions);
  v("content", x.content);
  v("number", x.number);
}

/// What a worker's calls bring at once at most, unless one alone is larger.
inline constexpr std::size_t kFileBytesOnTheWay = 128UL << 20U;

[[nodiscard]] inline FileReply failed_reply(Error error) { return {std::move(error), {}, {}, 0}; }

/// A file store elsewhere. `ask` makes a call and waits for its answer. Paths are made normal here: one that is none costs no call.
class AskedFiles final : public lang::FileStore {
 public:
  using Ask = std::function<FileReply(FileAsk ask)>;
  explicit AskedFiles(Ask ask) : ask_{std::move(ask)} {}

  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view directory, std::string_view pattern, std::size_t most) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override;
  [[nodiscard]] Result<lang::FileVersion> put(const lang::NewFile& file) override;
  [[nodiscard]] Result<bool> remove(std::string_view path) override;
  [[nodiscard]] Result<std::uint64_t> remove_directory(std::string_view directory) override;

 private:
  [[nodiscard]] Result<FileReply> call(FileVerb verb, std::string_view path, const std::function<void(FileAsk& ask)>& with = {}) const;
  Ask ask_;
};

}  // namespace catena::actors
