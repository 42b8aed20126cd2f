#pragma once
// The log files of a database, seen from outside.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"

namespace catena::storage {

/// Names and sizes.
using LogFiles = std::map<std::string, std::uint64_t>;
[[nodiscard]] LogFiles log_files(const std::filesystem::path& directory);

/// A log that went while a reader opened leaves a hole in what it sees, and one that came may have had a predecessor that went.
[[nodiscard]] bool same_logs(const std::filesystem::path& directory, const LogFiles& before);

/// Logs replayed at opening cost time; when they are many or large they are turned into a table, at opening or at closing.
[[nodiscard]] bool logs_pile_up(const std::filesystem::path& directory);

/// Waits until all of them are on the disk. Error: storage_io.
[[nodiscard]] Result<void> sync_logs(const std::filesystem::path& directory);

}  // namespace catena::storage
