#include "storage/log_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace catena::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogFilesMax = 16;
constexpr std::uint64_t kLogBytesMax = 4UL << 20U;

}  // namespace

LogFiles log_files(const fs::path& directory) {
  LogFiles logs;
  std::error_code code;
  for (fs::directory_iterator at{directory, code}, end; !code && at != end; at.increment(code)) {
    if (at->path().extension() != ".log") continue;
    std::error_code gone;
    const auto size = at->file_size(gone);
    if (!gone) logs.emplace(at->path().filename().string(), size);
  }
  return logs;
}

bool same_logs(const fs::path& directory, const LogFiles& before) {
  const auto now = log_files(directory);
  return std::equal(now.begin(), now.end(), before.begin(), before.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
}

bool logs_pile_up(const fs::path& directory) {
  const auto logs = log_files(directory);
  std::uint64_t bytes = 0;
  for (const auto& [file, size] : logs) bytes += size;
  return logs.size() > kLogFilesMax || bytes > kLogBytesMax;
}

Result<void> sync_logs(const fs::path& directory) {
  for (const auto& [file, size] : log_files(directory)) {
    const auto path = directory / file;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fdatasync(descriptor) == 0;
    const auto reason = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced)
      return fail(Code::storage_io, fmt::format("cannot sync '{}': {}; check the disk and the permissions of the data directory", path.string(),
                                                std::generic_category().message(reason)));
  }
  return {};
}

}  // namespace catena::storage
