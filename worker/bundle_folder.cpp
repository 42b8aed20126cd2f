#include "worker/bundle_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "lang/package/bundle.hpp"

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

struct Modes {
  ::mode_t folder;
  ::mode_t file;
  ::mode_t program;
};

Modes modes_for(BundleReaders readers) { return readers == BundleReaders::everybody ? Modes{0755, 0444, 0555} : Modes{0700, 0400, 0500}; }

/// Whether the file is what the bundle has: no link, this content, and writable by nobody.
bool is_as_packed(const fs::path& path, const lang::BundleFile& file, const Modes& modes) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return false;
  if ((status.st_mode & 0777U) != (file.executable ? modes.program : modes.file)) return false;
  if (static_cast<std::uint64_t>(status.st_size) != file.content.size()) return false;
  const Fd opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::string content;
  return opened.is_open() && read_all(opened.get(), file.content.size() + 1, content) == 0 && content == file.content;
}

bool has_all(const std::string& folder, const std::vector<lang::BundleFile>& files, const Modes& modes) {
  return std::ranges::all_of(files, [&](const auto& file) { return is_as_packed(fs::path{folder} / file.path, file, modes); });
}

/// 0, or why not.
int make_folders(const fs::path& folder, ::mode_t mode) {
  if (::mkdir(folder.c_str(), mode) == 0) return ::chmod(folder.c_str(), mode) == 0 ? 0 : errno;
  if (errno == EEXIST) return 0;
  if (errno != ENOENT) return errno;
  const auto above = make_folders(folder.parent_path(), mode);
  return above != 0 ? above : make_folders(folder, mode);
}

int write_file_of(const fs::path& folder, const lang::BundleFile& file, const Modes& modes) {
  const auto path = folder / file.path;
  if (const auto reason = make_folders(path.parent_path(), modes.folder); reason != 0) return reason;
  const Fd opened{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!opened.is_open()) return errno;
  const auto reason = write_all(opened.get(), file.content);
  if (reason != 0) return reason;
  return ::fchmod(opened.get(), file.executable ? modes.program : modes.file) == 0 ? 0 : errno;
}

int write_files(const std::string& folder, const std::vector<lang::BundleFile>& files, const Modes& modes) {
  if (::chmod(folder.c_str(), modes.folder) != 0) return errno;
  for (const auto& file : files) {
    if (const auto reason = write_file_of(folder, file, modes); reason != 0) return reason;
  }
  return 0;
}

int give_name(const std::string& unfinished, const std::string& folder) { return ::rename(unfinished.c_str(), folder.c_str()) == 0 ? 0 : errno; }

Error not_written(const std::string& folder, int reason) {
  auto error = make_error(Code::file_unreadable, fmt::format("'{}' cannot be written: {}", folder, std::strerror(reason)));
  error.details = Json{{"errno", reason}};
  return error;
}

}  // namespace

void remove_bundle_folder(const std::string& folder) {
  std::error_code failed;
  fs::permissions(folder, fs::perms::owner_all, failed);
  for (fs::recursive_directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed)) {
    if (at->is_directory(failed) && !at->is_symlink(failed)) fs::permissions(at->path(), fs::perms::owner_all, failed);
  }
  fs::remove_all(folder, failed);
}

void remove_unfinished(const std::string& folder) {
  const Fd opened{::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY)};
  if (opened.is_open() && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0) remove_bundle_folder(folder);
}

Result<void> unpack_into(const std::string& folder, std::string_view bytes, std::string_view aside, BundleReaders readers) {
  const auto files = lang::unpack_bundle(bytes);
  if (!files) return fail(files.error());
  const auto modes = modes_for(readers);
  if (has_all(folder, *files, modes)) return {};
  auto unfinished = (fs::path{folder}.parent_path() / (std::string{aside} + "XXXXXX")).string();
  if (::mkdtemp(unfinished.data()) == nullptr) return fail(not_written(folder, errno));
  // held until it has its name, so that a process that starts does not take it for a leftover
  const Fd held{::open(unfinished.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY)};
  if (held.is_open()) ::flock(held.get(), LOCK_SH);
  auto reason = write_files(unfinished, *files, modes);
  if (reason == 0) reason = give_name(unfinished, folder);
  // Another process was faster, or what is there is damaged.
  if ((reason == ENOTEMPTY || reason == EEXIST) && !has_all(folder, *files, modes)) {
    remove_bundle_folder(folder);
    reason = give_name(unfinished, folder);
  }
  if (reason == 0) return {};
  remove_bundle_folder(unfinished);
  return has_all(folder, *files, modes) ? Result<void>{} : fail(not_written(folder, reason));
}

}  // namespace catena::worker
