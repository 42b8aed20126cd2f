#include "worker/home_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/descriptor_io.hpp"
#include "base/random.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kBootIdMax = 128;

/// Of this start of the machine: a directory may be shared with others, whose locks are not seen here.
std::string boot_id() {
  const Fd file{::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)};
  std::string id;
  if (!file.is_open() || read_all(file.get(), kBootIdMax, id) != 0) return {};
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace

std::optional<HomeLock> HomeLock::take(const std::string& directory, const std::string& name) {
  const auto boot = boot_id();
  if (directory.empty() || name.empty() || boot.empty()) return std::nullopt;
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto path = directory + "/.worker-" + name;
  Fd file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
  struct ::stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  std::string id;
  if (read_all(file.get(), kIdDigits, id) != 0) return std::nullopt;
  if (id.size() != kIdDigits) {  // new, or half written
    id = fmt::format("{:016x}{:016x}", entropy(), entropy());
    if (::ftruncate(file.get(), 0) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0 || write_all(file.get(), id) != 0) return std::nullopt;
  }
  return HomeLock{std::move(file), fmt::format("{}.{}", id, boot)};
}

}  // namespace catena::worker
