#pragma once
// Calls of the file store as the messages between nodes carry them: a name, JSON, and a file's content as it is. Both sides read with
// suspicion: what does not fit is an error, never more.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/file_port.hpp"

namespace catena::actors {

/// FileCall and ClientCall without their numbers.
struct FileRequest {
  std::string what;     // describe, read, list, versions, put, remove, remove_directory
  std::string body;     // JSON
  std::string content;  // of a file that is put
};
/// FileAnswer without its number.
struct FileReply {
  bool ok = false;
  std::string body;     // JSON: the answer, or the error
  std::string content;  // of a file that was read
};

// ---- who asks
[[nodiscard]] FileRequest ask_describe(std::string_view path, std::string_view version_id);
[[nodiscard]] FileRequest ask_read(std::string_view path, std::string_view version_id);
[[nodiscard]] FileRequest ask_list(std::string_view directory, std::string_view pattern, std::size_t most);
[[nodiscard]] FileRequest ask_versions(std::string_view path);
[[nodiscard]] FileRequest ask_put(lang::NewFile file);
[[nodiscard]] FileRequest ask_remove(std::string_view path);
[[nodiscard]] FileRequest ask_remove_directory(std::string_view directory);

// The answers. Errors: what the other side says, connection_failed where it cannot be read.
[[nodiscard]] Result<lang::FileVersion> answered_version(const FileReply& reply);
[[nodiscard]] Result<std::vector<lang::FileVersion>> answered_versions(const FileReply& reply);
[[nodiscard]] Result<std::string> answered_content(FileReply reply);
[[nodiscard]] Result<bool> answered_flag(const FileReply& reply);
[[nodiscard]] Result<std::uint64_t> answered_count(const FileReply& reply);

// ---- who answers
/// A request that was read.
struct FileQuestion {
  enum class What { describe, read, list, versions, put, remove, remove_directory };
  What what = What::describe;
  std::string path;  // also of a directory
  std::string version_id;
  std::string pattern;
  std::size_t most = 0;
  lang::NewFile file;  // put: path and content as well
};
/// Error: argument_type.
[[nodiscard]] Result<FileQuestion> read_request(std::string_view what, std::string_view body, std::string content);

[[nodiscard]] FileReply reply_error(const Error& error);
[[nodiscard]] FileReply reply_version(const lang::FileVersion& version);
[[nodiscard]] FileReply reply_versions(const std::vector<lang::FileVersion>& versions);
[[nodiscard]] FileReply reply_content(std::string content);
[[nodiscard]] FileReply reply_flag(bool flag);
[[nodiscard]] FileReply reply_count(std::uint64_t count);

/// Asking the same once more changes nothing: the call may be made again when nobody knows whether it arrived.
[[nodiscard]] bool may_be_repeated(std::string_view what);

}  // namespace catena::actors
