#include "worker/program_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/descriptor_io.hpp"
#include "base/hash.hpp"
#include "lang/package/package.hpp"
#include "worker/bundle_folder.hpp"

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".new-";
constexpr ::mode_t kForOwner = 0700;
constexpr ::mode_t kForEverybody = 0755;
constexpr std::string_view kUnpacked = ".files";  // behind the hash of a bundle: the folder of its files

Error not_kept(const std::string& where, int reason) {
  auto error = make_error(Code::tool_not_started,
                          fmt::format("a program of the chain could not be written to '{}': {}; set worker.cache_dir to a directory that this "
                                      "worker may write to and execute from",
                                      where, std::strerror(reason)));
  error.retryable = true;  // another worker may have room
  error.details = Json{{"errno", reason}};
  return error;
}

/// A child that another slot is just starting has a copy of every descriptor until it executes its own program, and a file that somebody
/// has open for writing cannot be executed. A read lease is granted only when nobody has.
void wait_until_nobody_writes(const std::string& path) {
  constexpr int kTries = 500;  // a millisecond each; a child lives far shorter between fork and exec
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  for (int tries = 0; file.is_open() && tries < kTries; ++tries) {
    if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0) {
      ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
      return;
    }
    if (errno != EAGAIN) return;  // this file system knows no leases
    ::poll(nullptr, 0, 1);
  }
}

/// Removed, unless a process holds it.
bool remove_unheld(const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file.is_open() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  struct ::stat locked {};
  struct ::stat named {};
  const bool same = ::fstat(file.get(), &locked) == 0 && ::lstat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino;
  return same && ::unlink(path.c_str()) == 0;
}

/// A new file, open for writing, and its lock, which outlives the writing.
struct Temporary {
  std::string path;
  Fd file;
  Fd lock;
};

/// 0, or why there is none.
int make_temporary(const std::string& folder, Temporary& made) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    made.path = folder + "/" + std::string{kTemporary} + "XXXXXX";
    made.file = Fd{::mkostemp(made.path.data(), O_CLOEXEC)};
    if (!made.file.is_open()) return errno;
    made.lock = Fd{::open(made.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    // without locks nobody removes anything, either
    if (made.lock.is_open()) ::flock(made.lock.get(), LOCK_SH);
    struct ::stat status {};
    if (made.lock.is_open() && ::fstat(made.lock.get(), &status) == 0 && status.st_nlink > 0) return 0;
    // a process that starts took it for a leftover
  }
  return EBUSY;
}

}  // namespace

std::optional<ProgramCache::Seen> ProgramCache::look(const std::string& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::nullopt;
  constexpr std::int64_t kNanos = 1'000'000'000;
  return Seen{status.st_ino, status.st_size, static_cast<std::int64_t>(status.st_mtim.tv_sec) * kNanos + status.st_mtim.tv_nsec};
}

ProgramCache::ProgramCache(std::string directory, std::uint64_t bytes_max, ProgramReaders readers)
    : directory_{std::move(directory)}, bytes_max_{bytes_max}, mode_{readers == ProgramReaders::owner ? kForOwner : kForEverybody} {
  remove_leftovers();
}

void ProgramCache::remove_leftovers() const {
  if (directory_.empty()) return;
  std::error_code failed;
  for (fs::directory_iterator at{directory_, failed}, end; !failed && at != end; at.increment(failed)) {
    if (!at->path().filename().native().starts_with(kTemporary)) continue;
    if (at->is_directory(failed)) {
      remove_unfinished(at->path().native());
    } else {
      remove_unheld(at->path().native());
    }
  }
}

/// So that no process removes it. False: it is gone, or another file now.
bool ProgramCache::lock(const std::string& hash, const std::string& path, const Seen& seen) {
  if (const auto held = locks_.find(hash); held != locks_.end() && held->second.inode == seen.inode) return true;
  Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file.is_open()) return false;
  ::flock(file.get(), LOCK_SH);  // waits no longer than a removal takes; a file system without locks removes nothing
  const auto now = look(path);
  if (!now || now->inode != seen.inode) return false;
  locks_.insert_or_assign(hash, Lock{seen.inode, std::move(file)});
  return true;
}

std::optional<std::string> ProgramCache::find(const std::string& hash) {
  if (directory_.empty() || !is_sha256(hash)) return std::nullopt;
  std::error_code failed;
  auto path = (fs::absolute(directory_, failed) / hash).string();
  const auto seen = look(path);
  if (!seen || !lock(hash, path, *seen)) {
    seen_.erase(hash);
    return std::nullopt;
  }
  // when it was used last; the time of its content stays
  const std::array<::timespec, 2> times{{{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}}};
  ::futimens(locks_.at(hash).file.get(), times.data());
  const auto known = seen_.find(hash);
  if (known != seen_.end() && known->second == *seen) return path;
  if (known != seen_.end()) seen_.erase(known);
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::string content;
  const bool right = file.is_open() && read_all(file.get(), lang::kProgramBytesMax, content) == 0 && sha256_hex(content) == hash;
  // the mode is no part of the hash
  if (!right || ::fchmod(file.get(), mode_) != 0) {
    ::unlink(path.c_str());
    release(hash);
    return std::nullopt;
  }
  seen_.emplace(hash, *seen);
  return path;
}

/// Removes what was not used for longest until `bytes` more, under `hash`, are within the bound, or all that is left is in use.
void ProgramCache::make_room(std::uint64_t bytes, const std::string& hash) {
  if (bytes_max_ == 0) return;
  struct Program {
    std::int64_t used_s = 0;
    std::int64_t used_ns = 0;
    std::uint64_t bytes = 0;
    std::string path;
  };
  std::vector<Program> programs;
  std::error_code failed;
  for (fs::directory_iterator at{directory_, failed}, end; !failed && at != end; at.increment(failed)) {
    const auto& path = at->path();
    struct ::stat status {};
    if (!is_sha256(path.filename().native()) || path.filename() == hash) continue;
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    programs.push_back({status.st_atim.tv_sec, status.st_atim.tv_nsec, static_cast<std::uint64_t>(status.st_size), path.native()});
    bytes += programs.back().bytes;
    if (fs::exists(path.native() + std::string{kUnpacked}, failed)) bytes += programs.back().bytes;
  }
  std::ranges::sort(programs, {}, [](const Program& program) { return std::pair{program.used_s, program.used_ns}; });
  for (const auto& program : programs) {
    if (bytes <= bytes_max_) return;
    if (!remove_unheld(program.path)) continue;
    bytes -= program.bytes;
    const auto folder = program.path + std::string{kUnpacked};
    if (!fs::exists(folder, failed)) continue;
    bytes -= std::min(bytes, program.bytes);
    remove_bundle_folder(folder);
    unpacked_.erase(program.path.substr(program.path.rfind('/') + 1));
  }
}

Result<std::string> ProgramCache::store(const std::string& hash, std::string_view content) {
  if (!is_sha256(hash)) return fail(Code::tool_not_started, "the name of a program is no SHA-256");
  if (const auto is = sha256_hex(content); is != hash) {
    auto error = make_error(Code::tool_not_started, fmt::format("the program {} came with another content ({}); it was not run", hash, is));
    error.retryable = true;
    return fail(std::move(error));
  }
  if (directory_.empty()) return fail(not_kept("", ENOENT));
  std::error_code failed;
  const auto folder = fs::absolute(directory_, failed);
  fs::create_directories(folder, failed);
  if (failed) return fail(not_kept(folder.string(), failed.value()));
  make_room(content.size(), hash);
  Temporary made;
  auto reason = make_temporary(folder.string(), made);
  if (reason != 0) return fail(not_kept(folder.string(), reason));
  reason = write_all(made.file.get(), content);
  // on disk before it has its name: a power failure leaves no half of it under a hash
  if (reason == 0 && (::fchmod(made.file.get(), mode_) != 0 || ::fsync(made.file.get()) != 0)) reason = errno;
  made.file.close();
  auto path = (folder / hash).string();
  if (reason == 0 && ::rename(made.path.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(made.path.c_str());
    return fail(not_kept(folder.string(), reason));
  }
  wait_until_nobody_writes(path);
  if (const auto seen = look(path)) {
    seen_.insert_or_assign(hash, *seen);
    // the lock is of this file, unless another process stored the same just now: find() looks after that
    struct ::stat status {};
    if (::fstat(made.lock.get(), &status) == 0) locks_.insert_or_assign(hash, Lock{status.st_ino, std::move(made.lock)});
  }
  return path;
}

Result<std::string> ProgramCache::unpacked(const std::string& hash) {
  const auto bundle = find(hash);
  if (!bundle) return fail(not_kept(directory_, ENOENT));
  auto folder = *bundle + std::string{kUnpacked};
  std::error_code failed;
  if (unpacked_.contains(hash) && fs::is_directory(folder, failed)) return folder;
  std::string bytes;
  const Fd packed{::open(bundle->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  const auto unread = packed.is_open() ? read_all(packed.get(), lang::kProgramBytesMax, bytes) : errno;
  if (unread != 0) return fail(not_kept(*bundle, unread));
  const auto readers = mode_ == kForEverybody ? BundleReaders::everybody : BundleReaders::owner;
  if (auto made = unpack_into(folder, bytes, kTemporary, readers); !made) {
    made.error().code = Code::tool_not_started;
    made.error().retryable = true;
    return fail(std::move(made).error());
  }
  unpacked_.insert(hash);
  return folder;
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

}  // namespace catena::worker
