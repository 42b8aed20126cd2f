#include "link/trust_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor_io.hpp"

namespace catena::link {
namespace {

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_{descriptor} {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  /// 0, or the errno.
  [[nodiscard]] int close() { return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }

 private:
  int descriptor_;
};

std::string reason_text(int reason) { return std::error_code{reason, std::generic_category()}.message(); }

tl::unexpected<Error> unreadable_file(const std::string& file, std::string_view why) {
  return fail(Code::file_unreadable, fmt::format("cannot read '{}': {}", file, why));
}

int write_synced(int descriptor, std::string_view content, mode_t mode) {
  // The umask may have taken rights away that others need.
  if (::fchmod(descriptor, mode) != 0) return errno;
  if (const int reason = write_all(descriptor, content); reason != 0) return reason;
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

int sync_directory(const std::filesystem::path& file) {
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  const Descriptor directory{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return directory.get() >= 0 && ::fsync(directory.get()) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> read_trust_file(const std::string& file) {
  // Opening a pipe would wait for its writer.
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct ::stat status {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) return unreadable_file(file, reason_text(errno));
  if (!S_ISREG(status.st_mode)) return unreadable_file(file, "it is no regular file");
  std::string content;
  if (const int reason = read_all(opened.get(), kTrustFileBytesMax, content); reason != 0) return unreadable_file(file, reason_text(reason));
  if (content.size() > kTrustFileBytesMax) return unreadable_file(file, "it is larger than any such file");
  return content;
}

std::string file_stamp(const std::string& file) {
  struct ::stat status {};
  if (::stat(file.c_str(), &status) != 0) return "-";
  return fmt::format("{}.{}.{}.{}.{}.{}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

std::int64_t file_changed_at(const std::string& file) {
  struct ::stat status {};
  if (::stat(file.c_str(), &status) != 0) return 0;
  return static_cast<std::int64_t>(status.st_ctim.tv_sec) * 1'000 + status.st_ctim.tv_nsec / 1'000'000;
}

Result<void> write_new_file(const std::filesystem::path& file, std::string_view content, Secrecy secrecy) {
  const auto failed = [&](int reason) { return fail(Code::storage_io, fmt::format("cannot write '{}': {}", file.string(), reason_text(reason))); };
  const auto beside = file.string() + fmt::format(".{}.part", ::getpid());
  Descriptor made{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (made.get() < 0) return failed(errno);
  int reason = write_synced(made.get(), content, secrecy == Secrecy::secret ? 0600 : 0644);
  if (const int closed = made.close(); reason == 0) reason = closed;
  // A link, unlike a rename, never replaces what is there.
  if (reason == 0 && ::link(beside.c_str(), file.c_str()) != 0) reason = errno;
  ::unlink(beside.c_str());
  if (reason == EEXIST) return fail(Code::usage, fmt::format("'{}' exists already and is not replaced", file.string()));
  if (reason == 0) reason = sync_directory(file);
  if (reason != 0) return failed(reason);
  return {};
}

}  // namespace catena::link
