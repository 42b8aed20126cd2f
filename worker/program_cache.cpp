#include "worker/program_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/descriptor_io.hpp"
#include "base/hash.hpp"
#include "lang/package.hpp"
#include "worker/fd.hpp"

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

Error not_kept(const std::string& where, int reason) {
  auto error = make_error(Code::tool_not_started,
                          fmt::format("a program of the chain could not be written to '{}': {}; set worker.cache_dir to a directory that this "
                                      "worker may write to and execute from",
                                      where, std::strerror(reason)));
  error.retryable = true;  // another worker may have room
  error.details = Json{{"errno", reason}};
  return error;
}

/// A child that another slot is just starting has a copy of every descriptor until it executes its own program, and a file that somebody has
/// open for writing cannot be executed. A read lease is granted only when nobody has.
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

}  // namespace

std::optional<ProgramCache::Seen> ProgramCache::look(const std::string& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::nullopt;
  constexpr std::int64_t kNanos = 1'000'000'000;
  return Seen{status.st_ino, status.st_size, static_cast<std::int64_t>(status.st_mtim.tv_sec) * kNanos + status.st_mtim.tv_nsec};
}

std::optional<std::string> ProgramCache::find(const std::string& hash) {
  if (directory_.empty() || !is_sha256(hash)) return std::nullopt;
  std::error_code failed;
  auto path = (fs::absolute(directory_, failed) / hash).string();
  const auto seen = look(path);
  const auto known = seen_.find(hash);
  if (seen && known != seen_.end() && known->second == *seen) return path;
  if (known != seen_.end()) seen_.erase(known);
  if (!seen) return std::nullopt;
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::string content;
  const bool right = file.is_open() && read_all(file.get(), lang::kProgramBytesMax, content) == 0 && sha256_hex(content) == hash;
  // the mode is no part of the hash
  if (!right || ::fchmod(file.get(), 0700) != 0) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  seen_.emplace(hash, *seen);
  return path;
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
  auto temporary = (folder / ".new-XXXXXX").string();
  Fd file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!file.is_open()) return fail(not_kept(folder.string(), errno));
  auto reason = write_all(file.get(), content);
  // on disk before it has its name: a power failure leaves no half of it under a hash
  if (reason == 0 && (::fchmod(file.get(), 0700) != 0 || ::fsync(file.get()) != 0)) reason = errno;
  file.close();
  auto path = (folder / hash).string();
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(temporary.c_str());
    return fail(not_kept(folder.string(), reason));
  }
  wait_until_nobody_writes(path);
  if (const auto seen = look(path)) seen_.insert_or_assign(hash, *seen);
  return path;
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace catena::worker
