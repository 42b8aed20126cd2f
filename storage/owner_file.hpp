#pragma once
// Who holds a data directory, for the message to the process that comes second. The lock itself is the database's.
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace catena::storage {

/// Writes this process's id and command line; the holder of the lock calls it.
[[nodiscard]] Result<void> write_owner(const std::filesystem::path& file);

/// "process 4711 (catena run chain.yaml)" when the file names a living process.
[[nodiscard]] std::optional<std::string> living_owner(const std::filesystem::path& file);
/// The process that the file names has ended, or has been killed and is about to: what it held is free in a moment.
[[nodiscard]] bool owner_is_ending(const std::filesystem::path& file);
/// What living_owner says, or "another process".
[[nodiscard]] std::string describe_owner(const std::filesystem::path& file);

}  // namespace catena::storage
