#include "cli/still_copy.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "storage/owner_file.hpp"
#include "storage/rocks_backup.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

/// Within the data directory: links do not lead to other file systems, and nobody else may look there.
constexpr std::string_view kCopyName = "looked-at-";

/// Copies of processes that were killed would keep what was deleted since.
void remove_left_copies(const fs::path& data_dir) {
  std::error_code code;
  for (fs::directory_iterator at{data_dir, code}, end; !code && at != end; at.increment(code)) {
    const auto name = at->path().filename().string();
    if (!name.starts_with(kCopyName)) continue;
    pid_t owner = 0;
    std::from_chars(name.data() + kCopyName.size(), name.data() + name.size(), owner);
    std::error_code ignored;
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(at->path(), ignored);
  }
}

}  // namespace

Result<StillCopy> StillCopy::open(const fs::path& data_dir) {
  const auto there = storage::RocksKv::exists(data_dir);
  if (!there) return fail(there.error());
  remove_left_copies(data_dir);
  if (!*there || !storage::living_owner(data_dir / "owner")) {
    auto kv = storage::RocksKv::open(data_dir, {.read_only = true});
    if (!kv) return fail(kv.error());
    return StillCopy{std::move(*kv), {}};
  }
  const auto copy = data_dir / fmt::format("{}{}", kCopyName, ::getpid());
  const auto made = storage::back_up(data_dir, copy);
  if (!made) return fail(made.error());
  auto kv = storage::RocksKv::open(copy, {.read_only = true});
  if (kv) return StillCopy{std::move(*kv), copy};
  std::error_code ignored;
  fs::remove_all(copy, ignored);
  return fail(kv.error());
}

StillCopy::~StillCopy() {
  if (!kv_) return;  // moved from
  kv_.reset();
  std::error_code ignored;
  if (!copy_.empty()) fs::remove_all(copy_, ignored);
}

}  // namespace catena::cli
