#include "storage/rocks_backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

#include "base/descriptor_io.hpp"
#include "base/failpoint.hpp"
#include "base/fd.hpp"
#include "storage/data_directory.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::storage {
namespace {

namespace fs = std::filesystem;

/// A writer that makes and deletes tables may be met in the middle; each try is short.
constexpr int kBackupTries = 40;
constexpr std::chrono::milliseconds kTryPause{25};
constexpr std::chrono::milliseconds kTryPauseMost{1'000};
constexpr std::size_t kCopyBytes = 1UL << 20U;

tl::unexpected<Error> cannot_copy(std::string_view what, const fs::path& file, const std::error_code& why) {
  return fail(Code::storage_io, fmt::format("cannot {} '{}': {}", what, file.string(), why.message()));
}

std::error_code errno_code() { return {errno, std::generic_category()}; }

bool is_table(const fs::path& file) { return file.extension() == ".sst" || file.extension() == ".blob"; }
bool is_log(const fs::path& file) { return file.extension() == ".log"; }

/// What a database consists of, and the anchor. Not: the lock, whose it is, programs of a worker.
bool belongs(const fs::path& file) {
  const auto name = file.filename().string();
  return is_table(file) || is_log(file) || name == "CURRENT" || name == "anchor" || name == "IDENTITY" || name.starts_with("MANIFEST-") ||
         name.starts_with("OPTIONS-");
}

Result<std::vector<fs::path>> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator at{directory, code}, end; !code && at != end; at.increment(code)) {
    if (belongs(at->path()) && at->is_regular_file(code)) files.push_back(at->path());
    if (code == std::errc::no_such_file_or_directory) code.clear();
  }
  if (code) return cannot_copy("look into", directory, code);
  return files;
}

Result<void> sync_path(const fs::path& path, int flags) {
  const Fd file{::open(path.c_str(), flags | O_CLOEXEC)};
  if (!file.is_open() || ::fsync(file.get()) != 0) return cannot_copy("sync", path, errno_code());
  return {};
}

/// On the disk when it returns; with the time of the original, by which the next try knows it again.
Result<std::uint64_t> copy_file_to(const fs::path& from, const fs::path& to) {
  const Fd in{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in.is_open()) return cannot_copy("read", from, errno_code());
  const Fd out{::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (!out.is_open()) return cannot_copy("write", to, errno_code());
  std::vector<char> buffer(kCopyBytes);
  std::uint64_t copied = 0;
  while (true) {
    const auto got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_copy("read", from, errno_code());
    if (got == 0) break;
    if (const auto failed = write_all(out.get(), {buffer.data(), static_cast<std::size_t>(got)}); failed != 0)
      return cannot_copy("write", to, {failed, std::generic_category()});
    copied += static_cast<std::uint64_t>(got);
  }
  struct stat there {};
  if (::fstat(in.get(), &there) == 0) {
    const std::array times{there.st_atim, there.st_mtim};
    ::futimens(out.get(), times.data());
  }
  if (::fsync(out.get()) != 0) return cannot_copy("write", to, errno_code());
  return copied;
}

/// The same table, as far as size and time tell: what an earlier try has brought.
bool same_file(const fs::path& one, const fs::path& other) {
  struct stat first {};
  struct stat second {};
  if (::stat(one.c_str(), &first) != 0 || ::stat(other.c_str(), &second) != 0) return false;
  return first.st_size == second.st_size && first.st_mtim.tv_sec == second.st_mtim.tv_sec && first.st_mtim.tv_nsec == second.st_mtim.tv_nsec;
}

/// Bytes that had to be written.
Result<std::uint64_t> bring_table(const fs::path& from, const fs::path& to) {
  if (same_file(from, to)) return 0;
  std::error_code ignored;
  fs::remove(to, ignored);
  if (::link(from.c_str(), to.c_str()) == 0) return 0;
  return copy_file_to(from, to);
}

/// All tables that are there and not yet in the target.
Result<std::uint64_t> bring_tables(const fs::path& directory, const fs::path& target) {
  const auto files = files_in(directory);
  if (!files) return fail(files.error());
  std::uint64_t copied = 0;
  for (const auto& file : *files) {
    if (!is_table(file)) continue;
    const auto brought = bring_table(file, target / file.filename());
    std::error_code code;
    if (!brought && fs::exists(file, code)) return fail(brought.error());  // else it was deleted just now: perhaps it is not needed
    copied += brought.value_or(0);
  }
  return copied;
}

Result<std::string> current_manifest(const fs::path& directory) {
  std::ifstream in{directory / "CURRENT"};
  std::string name;
  if (!std::getline(in, name) || !name.starts_with("MANIFEST-"))
    return fail(Code::storage_io, fmt::format("cannot read '{}'", (directory / "CURRENT").string()));
  return name;
}

/// One try. The order matters: the anchor promises what the logs that come later hold, the manifest names tables that are brought before or after
/// it, and logs of which it does not know that they are not needed any more are brought behind it.
Result<std::uint64_t> bring_all(const fs::path& directory, const fs::path& target) {
  std::error_code code;
  const auto before = files_in(target);
  if (!before) return fail(before.error());
  for (const auto& file : *before) {
    if (!is_table(file)) fs::remove(file, code);
  }
  std::uint64_t copied = 0;
  const auto bring = [&](const fs::path& name) -> Result<void> {
    const auto one = copy_file_to(directory / name, target / name);
    if (!one) return fail(one.error());
    copied += *one;
    return {};
  };
  if (fs::exists(directory / "anchor", code)) {
    if (auto done = bring("anchor"); !done) return fail(std::move(done).error());
  }
  const auto first = bring_tables(directory, target);
  if (!first) return first;
  const auto manifest = current_manifest(directory);
  if (!manifest) return fail(manifest.error());
  if (auto done = bring(*manifest); !done) return fail(std::move(done).error());
  const auto second = bring_tables(directory, target);
  if (!second) return second;
  const auto files = files_in(directory);
  if (!files) return fail(files.error());
  for (const auto& file : *files) {
    const auto name = file.filename();
    if (!is_log(file) && name != "IDENTITY") continue;
    if (auto done = bring(name); !done && fs::exists(file, code)) return fail(std::move(done).error());
  }
  // Last: before it nobody takes this for a database.
  std::ofstream{target / "CURRENT", std::ios::trunc} << *manifest << '\n';
  ::chmod((target / "CURRENT").c_str(), 0600);
  if (auto synced = sync_path(target / "CURRENT", O_RDONLY); !synced) return fail(std::move(synced).error());
  return copied + *first + *second;
}

/// Opened as a reader would, which finds out whether something is missing.
Result<BackupInfo> look_at(const fs::path& copy) {
  const auto kv = RocksKv::open(copy, {.read_only = true});
  if (!kv) return fail(kv.error());
  BackupInfo info;
  info.commit = (*kv)->commit();
  const auto files = files_in(copy);
  if (!files) return fail(files.error());
  for (const auto& file : *files) {
    std::error_code code;
    ++info.files;
    info.bytes += fs::file_size(file, code);
  }
  return info;
}

Result<void> make_empty(const fs::path& directory) {
  std::error_code code;
  fs::remove_all(directory, code);
  if (!code) fs::create_directories(directory.parent_path(), code);
  if (code) return cannot_copy("make", directory, code);
  if (::mkdir(directory.c_str(), 0700) != 0) return cannot_copy("make", directory, errno_code());
  return {};
}

Result<void> check_free(const fs::path& target) {
  std::error_code code;
  const auto status = fs::symlink_status(target, code);
  if (status.type() == fs::file_type::not_found) return {};
  if (code) return cannot_copy("look at", target, code);
  if (status.type() == fs::file_type::directory && fs::is_empty(target, code) && !code) return {};
  return fail(Code::storage_io,
              fmt::format("'{}' is there already and is not an empty directory; name another one, or move it away first", target.string()));
}

Result<void> put_in_place(const fs::path& prepared, const fs::path& target) {
  std::error_code code;
  if (auto synced = sync_path(prepared, O_RDONLY | O_DIRECTORY); !synced) return synced;
  fs::remove(target, code);  // an empty directory
  fs::rename(prepared, target, code);
  if (code) return cannot_copy("put a directory in the place of", target, code);
  return sync_path(target.parent_path(), O_RDONLY | O_DIRECTORY);
}

fs::path beside(const fs::path& target, std::string_view ending) { return target.string() + std::string{ending}; }

/// Without a slash at its end, and with a parent.
fs::path plain(const fs::path& path) {
  std::error_code code;
  auto absolute = fs::absolute(path, code).lexically_normal();
  return absolute.filename().empty() ? absolute.parent_path() : absolute;
}

}  // namespace

Result<BackupInfo> back_up(const fs::path& from, const fs::path& to) {
  const auto directory = plain(from);
  const auto target = plain(to);
  const auto there = RocksKv::exists(directory);
  if (!there) return fail(there.error());
  if (!*there) return fail(Code::storage_io, fmt::format("there is no database in '{}': nothing to back up", directory.string()));
  if (auto is_free = check_free(target); !is_free) return fail(std::move(is_free).error());
  const auto partial = beside(target, ".partial");
  std::error_code code;
  if (!fs::is_directory(partial, code)) {
    if (auto made = make_empty(partial); !made) return fail(std::move(made).error());
  }
  std::uint64_t copied = 0;
  Error last;
  auto pause = kTryPause;
  for (int tries = 0; tries < kBackupTries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kTryPauseMost);
    const auto brought = bring_all(directory, partial);
    copied += brought.value_or(0);
    auto info = brought ? look_at(partial) : Result<BackupInfo>{fail(brought.error())};
    if (!info) {
      last = info.error();
      if (last.code == Code::storage_format) break;
      continue;
    }
    CATENA_FAILPOINT("backup.before_rename");
    if (auto placed = put_in_place(partial, target); !placed) return fail(std::move(placed).error());
    info->copied = copied;
    return info;
  }
  last.notes.emplace_back("the copy could not be made whole; is the disk full, or does the store itself report errors? `catena store verify` tells");
  return fail(std::move(last));
}

Result<BackupInfo> restore_backup(const fs::path& from, const fs::path& to, const std::function<Result<void>(const fs::path& prepared)>& take_over) {
  const auto backup = plain(from);
  const auto target = plain(to);
  auto info = look_at(backup);
  if (!info) return info;
  if (auto is_free = check_free(target); !is_free) return fail(std::move(is_free).error());
  const auto prepared = beside(target, ".restoring");
  if (auto made = make_empty(prepared); !made) return fail(std::move(made).error());
  const auto files = files_in(backup);
  if (!files) return fail(files.error());
  for (const auto& file : *files) {
    const auto copied = copy_file_to(file, prepared / file.filename());
    if (!copied) return fail(copied.error());
    info->copied += *copied;
  }
  if (auto taken = take_over(prepared); !taken) return fail(std::move(taken).error());
  CATENA_FAILPOINT("restore.before_rename");
  if (auto placed = put_in_place(prepared, target); !placed) return fail(std::move(placed).error());
  return info;
}

}  // namespace catena::storage
