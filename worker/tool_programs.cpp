#include "worker/tool_programs.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "base/hash.hpp"
#include "lang/package/package.hpp"

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

/// Nothing: it is no file that could be a pinned program, or cannot be read.
std::optional<std::string> read_program(const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct ::stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > lang::kProgramBytesMax) return std::nullopt;
  std::string content;
  if (read_all(file.get(), lang::kProgramBytesMax, content) != 0 || content.size() > lang::kProgramBytesMax) return std::nullopt;
  return content;
}

}  // namespace

ToolPrograms::ToolPrograms(const std::vector<std::string>& roots, std::size_t files_max) {
  std::size_t files = 0;
  for (const auto& root : roots) {
    std::error_code failed;
    fs::recursive_directory_iterator at{root, fs::directory_options::skip_permission_denied, failed};
    for (const fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
      std::error_code unknown;
      if (at->symlink_status(unknown).type() != fs::file_type::regular) continue;
      if (++files > files_max) {
        complete_ = false;
        return;
      }
      if (const auto content = read_program(at->path().native())) paths_.emplace(sha256_hex(*content), at->path().native());
    }
  }
}

std::optional<std::string> ToolPrograms::content(const std::string& hash) const {
  const auto path = paths_.find(hash);
  if (path == paths_.end()) return std::nullopt;
  auto content = read_program(path->second);
  if (!content || sha256_hex(*content) != hash) return std::nullopt;
  return content;
}

}  // namespace catena::worker
