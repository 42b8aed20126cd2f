#include "cli/local_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/descriptor_io.hpp"

namespace catena::cli {
namespace {

std::string reason_text(int reason) { return std::error_code{reason, std::generic_category()}.message(); }

tl::unexpected<Error> unreadable_local_file(const std::string& what, std::string_view why) {
  return fail(Code::file_unreadable, fmt::format("cannot read {}: {}", what, why));
}

tl::unexpected<Error> unwritable(const std::string& file, int reason) {
  return fail(Code::storage_io, fmt::format("cannot write '{}': {}", file, reason_text(reason)));
}

tl::unexpected<Error> too_large(const std::string& what, std::size_t most) {
  return fail(Code::file_too_large, fmt::format("{} has more than {} bytes, the most that the file store takes", what, most));
}

/// A new file in the same directory, with the usual rights; invalid with errno set when there can be none.
Fd open_beside(const std::string& target, std::string& beside) {
  constexpr int kNamesTried = 100;
  Fd made;
  for (int n = 0; n < kNamesTried && !made.is_open(); ++n) {
    beside = fmt::format("{}.{}-{}.part", target, ::getpid(), n);
    made = Fd{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)};
    if (!made.is_open() && errno != EEXIST) break;
  }
  return made;
}

}  // namespace

Result<LocalFile> read_local_file(const std::string& file, std::size_t most) {
  const bool standard_input = file == "-";
  const auto what = standard_input ? std::string{"standard input"} : "'" + file + "'";
  const Fd opened{standard_input ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  const int descriptor = standard_input ? STDIN_FILENO : opened.get();
  struct ::stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return unreadable_local_file(what, reason_text(errno));
  if (S_ISDIR(status.st_mode)) return unreadable_local_file(what, "it is a directory; `catena fs sync` brings all of its files");
  if (S_ISREG(status.st_mode) && !standard_input && static_cast<std::size_t>(status.st_size) > most) return too_large(what, most);
  LocalFile read;
  if (const int reason = read_all(descriptor, most, read.content); reason != 0) return unreadable_local_file(what, reason_text(reason));
  if (read.content.size() > most) return too_large(what, most);
  read.names = standard_input ? ownership(::geteuid(), ::getegid()) : ownership(status.st_uid, status.st_gid);
  return read;
}

Result<NewLocalFile> NewLocalFile::open(const std::string& file) {
  struct ::stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    Fd descriptor{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
    if (!descriptor.is_open()) return unwritable(file, errno);
    return NewLocalFile{file, {}, std::move(descriptor)};
  }
  // Through a link its target is replaced, not the link.
  std::error_code code;
  const auto target = there ? std::filesystem::canonical(file, code).string() : file;
  if (code) return unwritable(file, code.value());
  std::string beside;
  auto descriptor = open_beside(target, beside);
  if (!descriptor.is_open()) return unwritable(file, errno);
  NewLocalFile made{target, std::move(beside), std::move(descriptor)};
  if (there && ::fchmod(made.descriptor_.get(), status.st_mode & 07777U) != 0) return unwritable(file, errno);
  return made;
}

NewLocalFile::NewLocalFile(std::string file, std::string beside, Fd descriptor)
    : file_{std::move(file)}, beside_{std::move(beside)}, descriptor_{std::move(descriptor)} {}

NewLocalFile::NewLocalFile(NewLocalFile&& other) noexcept
    : file_{std::move(other.file_)}, beside_{std::exchange(other.beside_, {})}, descriptor_{std::move(other.descriptor_)} {}

NewLocalFile::~NewLocalFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

Result<void> NewLocalFile::write(std::string_view piece) {
  if (const int reason = write_all(descriptor_.get(), piece); reason != 0) return unwritable(file_, reason);
  return {};
}

Result<void> NewLocalFile::finish() {
  if (beside_.empty()) return {};
  if (::rename(beside_.c_str(), file_.c_str()) != 0) return unwritable(file_, errno);
  beside_.clear();
  return {};
}

}  // namespace catena::cli
