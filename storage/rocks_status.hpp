#pragma once
// What RocksDB answers, as errors of catena. Only rocks_*.cpp include this.
#include <rocksdb/status.h>

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "storage/rocks_tuning.hpp"

namespace catena::storage {

/// "cannot {doing} '{directory}': …", with the last warnings as notes.
[[nodiscard]] Error error_from(const rocksdb::Status& status, std::string_view doing, const std::filesystem::path& directory,
                               const RecentWarnings& warnings);

}  // namespace catena::storage
