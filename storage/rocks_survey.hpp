#pragma once
// A look at a database before it is opened, which changes nothing: opening for writing deletes what it finds no use for. Only rocks_*.cpp
// include this.
#include <cstdint>
#include <filesystem>

#include "base/result.hpp"
#include "storage/commit_chain.hpp"

namespace catena::storage {

struct Survey {
  std::uint64_t in_tables = 0;  // the last commit that the tables hold
  LogVerdict logs;
};

/// Errors: storage_corrupt, also when a table is missing; storage_io; storage_format.
[[nodiscard]] Result<Survey> survey(const std::filesystem::path& directory);

}  // namespace catena::storage
