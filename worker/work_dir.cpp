#include "worker/work_dir.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "base/ownership.hpp"
#include "worker/utf8.hpp"

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameBytesMax = 255;                            // of a file in every usual file system
constexpr std::size_t kFileBytesTaken = limits::kToolOutputBytesMax;  // a file is an output, too; the file store may take less
constexpr std::size_t kShownBytesMax = 200;

/// Stands in one part of a path, whatever the name is.
std::string as_part(std::string_view name) {
  auto part = to_utf8(name);
  if (part.size() > kNameBytesMax) {
    auto end = kNameBytesMax;
    while (end > 0 && (static_cast<unsigned char>(part[end]) & 0xc0U) == 0x80U) --end;  // no half of a character
    part.resize(end);
  }
  std::ranges::replace_if(
      part, [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
  if (part.empty() || part == "." || part == "..") part.insert(0, "_");
  return part;
}

/// A task's key as a part of a store path: chain/step/index stay parts of their own.
std::string as_parts(std::string_view key) {
  std::string parts;
  for (std::size_t at = 0; at <= key.size();) {
    const auto end = std::min(key.find('/', at), key.size());
    parts += (parts.empty() ? "" : "/") + as_part(key.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// 0, or why it could not be written.
int write_file(const std::string& path, std::string_view content) {
  const Fd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file.is_open()) return errno;
  return write_all(file.get(), content);
}

std::string link_of(int fd) {
  std::error_code code;
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", fd), code).string();
}

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

/// An object with some of its members' values replaced; the others stay the text they are.
Result<lang::JsonText> with_members(const lang::JsonText& object, const std::vector<std::string>& names,
                                    const std::function<Result<std::string>(const std::string& name, lang::JsonView value)>& replace) {
  if (names.empty()) return object;
  lang::JsonText out{"{"};
  Result<void> outcome;
  lang::JsonView{object}.for_each_member([&](std::string_view key, lang::JsonView value) {
    if (out.text.size() > 1) out.text += ',';
    out.text += Json(key).dump();
    out.text += ':';
    const auto name = std::ranges::find(names, key);
    if (name == names.end() || value.is_null()) {
      out.text += value.text();
      return true;
    }
    auto replaced = replace(*name, value);
    if (!replaced) {
      outcome = fail(std::move(replaced).error());
      return false;
    }
    out.text += Json(*replaced).dump();
    return true;
  });
  if (!outcome) return fail(std::move(outcome).error());
  out.text += '}';
  return out;
}

}  // namespace

Result<WorkDir> WorkDir::make(const Task& task, lang::FileStore* files, const ToolUser* user) {
  if (files == nullptr && has_files(task)) {
    return fail(Code::feature_unavailable, fmt::format("{} takes or returns files, and this worker has no file store", describe(task)));
  }
  auto folder = WorkFolder::make(describe(task), user);
  if (!folder) return fail(std::move(folder).error());
  WorkDir work{task, files, user, std::move(*folder)};
  if (auto brought = work.bring_arguments(); !brought) return fail(std::move(brought).error());
  if (auto handed = work.folder_.hand_over(describe(task)); !handed) return fail(std::move(handed).error());
  return work;
}

Result<void> WorkDir::bring_arguments() {
  auto arguments =
      with_members(task_->arguments, task_->file_arguments, [&](const std::string& name, lang::JsonView value) { return bring(name, value); });
  if (!arguments) return fail(std::move(arguments).error());
  arguments_ = std::move(*arguments);
  return {};
}

Result<std::string> WorkDir::bring(const std::string& argument, lang::JsonView value) const {
  if (value.kind() != lang::JsonKind::string) {
    return fail(Code::argument_type, fmt::format("{}: argument '{}' must be a path in the file store, but it is a {}", describe(*task_), argument,
                                                 lang::name(value.kind())));
  }
  const auto stored = value.string();
  const auto content = files_->read(stored, {});
  if (!content) {
    auto error = content.error();
    error.message = fmt::format("{}: argument '{}': {}", describe(*task_), argument, error.message);
    return fail(std::move(error));
  }
  const auto cannot = [&](int reason) {
    return fail(not_prepared(describe(*task_),
                             fmt::format("argument '{}': the file '{}' could not be written to the work directory", argument, stored), reason));
  };
  const auto directory = fs::path{path()} / "in" / as_part(argument);
  std::error_code code;
  fs::create_directories(directory, code);
  if (code) return cannot(code.value());
  auto real_path = (directory / as_part(stored.substr(stored.rfind('/') + 1))).string();
  if (const int reason = write_file(real_path, *content); reason != 0) return cannot(reason);
  return real_path;
}

Result<lang::JsonText> WorkDir::collect(const lang::JsonText& response) const {
  return with_members(response, task_->file_responses, [&](const std::string& name, lang::JsonView value) { return store(name, value); });
}

Result<std::string> WorkDir::store(const std::string& response, lang::JsonView value) const {
  const auto refuse = [&](std::string_view why) {
    return fail(
        Code::tool_output_invalid,
        fmt::format("{} returned {} as the file '{}': {}; return the path of a file in its work directory (CATENA_WORK_DIR), or of one that is in "
                    "the file store",
                    describe(*task_), to_utf8(value.text().substr(0, kShownBytesMax)), response, why));
  };
  if (value.kind() != lang::JsonKind::string) return refuse(fmt::format("a {} is no path", lang::name(value.kind())));
  const auto returned = value.string();
  if (returned.empty() || returned.find('\0') != std::string::npos) return refuse("that is no path");
  const bool absolute = returned.front() == '/';
  const auto named = absolute ? returned : path() + "/" + returned;
  // Opened as a mere place first: opening a device or a fifo for reading could do or wait for something.
  const Fd place{::open(named.c_str(), O_PATH | O_CLOEXEC)};
  const int reason = place.is_open() ? 0 : errno;
  const auto real_path = place.is_open() ? link_of(place.get()) : std::string{};
  const bool inside = place.is_open() ? is_below(real_path, path()) : is_below(named, path());
  if (!inside && absolute) {
    const auto stored = files_->describe(returned, {});
    if (stored) return stored->path;
    return stored.error().code == Code::file_not_found || stored.error().code == Code::file_path_invalid
               ? refuse("it is outside of the work directory, and the file store has no such file")
               : fail(stored.error());
  }
  if (!place.is_open()) return refuse(std::strerror(reason));
  if (!inside) return refuse("it leads out of the work directory");
  struct ::stat status {};
  if (::fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return refuse("that is no regular file");
  // a hard link would lead to what only this process can read
  if (user_ != nullptr && status.st_uid != user_->uid) return refuse("it belongs to another user than the tool's");
  if (static_cast<std::size_t>(status.st_size) > kFileBytesTaken) {
    return fail(Code::file_too_large, fmt::format("{}: file '{}' has {} bytes; the file store takes files of at most {}", describe(*task_), response,
                                                  status.st_size, kFileBytesTaken));
  }
  const Fd file{::open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.is_open()) return refuse(std::strerror(errno));
  std::string content;
  if (const int failed = read_all(file.get(), kFileBytesTaken, content); failed != 0) return refuse(std::strerror(failed));
  return put(response, real_path, ownership(status.st_uid, status.st_gid), std::move(content));
}

Result<std::string> WorkDir::put(const std::string& response, const std::string& real_path, Ownership names, std::string content) const {
  lang::NewFile file;
  file.path = fmt::format("/chains/{}/{}/{}", as_parts(task_->key), as_part(response), as_part(real_path.substr(real_path.rfind('/') + 1)));
  file.content = std::move(content);
  file.owner = std::move(names.owner);
  file.group = std::move(names.group);
  file.put_by = task_->key;
  auto stored = files_->put(file);
  if (stored) return std::move(stored->path);
  auto error = stored.error();
  error.message = fmt::format("{}: file '{}' could not be put into the file store: {}", describe(*task_), response, error.message);
  return fail(std::move(error));
}

}  // namespace catena::worker
