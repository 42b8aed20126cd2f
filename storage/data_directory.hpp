#pragma once
// The directory that a store is kept in: what stands in it before a database is opened there, and who may reach it. A directory that cannot
// be looked into, or that has lost the file by which a database is found, must never be taken for an empty one: a new database made there
// would delete what is left of the old.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace catena::storage {

enum class Contents : std::uint8_t {
  nothing,   // no such directory, or nothing of a database in it
  database,  // to be opened
};

/// Changes nothing. Errors: storage_io when it cannot be looked into; storage_corrupt when there is a part of a database, but not the file
/// CURRENT, which names the rest.
[[nodiscard]] Result<Contents> contents_of(const std::filesystem::path& directory);

/// Whether this user may keep a store there, before anything in it is touched; a directory that is not there is made (0700, its parents as
/// the umask says). Error: storage_io, also when it belongs to another user, or is open to others and holds other things.
[[nodiscard]] Result<void> make_own(const std::filesystem::path& directory);

/// Takes the rights of other users off the directory and its files. Answers what was put right, in words, when others could get in.
[[nodiscard]] Result<std::optional<std::string>> shut_out_others(const std::filesystem::path& directory);

}  // namespace catena::storage
