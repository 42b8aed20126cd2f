#pragma once
// A copy of a data directory while another process may be writing to it, and a new data directory made from such a copy. A copy is what a loss
// of power at that moment would leave: everything that was acknowledged by then, and it is opened as such. Tables, which never change, are
// linked where that is possible.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace catena::storage {

struct BackupInfo {
  std::uint64_t commit = 0;  // the last that is in it
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;   // of all of them
  std::uint64_t copied = 0;  // bytes that were written: the others are links
};

/// Makes the directory `target`, which must not be there (or be empty). Cut short, it leaves `target`.partial, with which the next try goes on.
/// Errors: storage_io, also when `target` is taken; those of RocksKv::open.
[[nodiscard]] Result<BackupInfo> back_up(const std::filesystem::path& directory, const std::filesystem::path& target);

/// Makes the data directory `target`, which must not be there (or be empty), from a backup. `take_over` gets a directory beside it that is to be
/// put in its place: what it does to the database there is part of the restore. Nothing is at `target` before all is done.
[[nodiscard]] Result<BackupInfo> restore_backup(const std::filesystem::path& backup, const std::filesystem::path& target,
                                                const std::function<Result<void>(const std::filesystem::path& prepared)>& take_over);

}  // namespace catena::storage
