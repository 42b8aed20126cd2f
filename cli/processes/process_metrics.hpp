#pragma once
// What the system knows of this process, as metrics.
#include <cstdint>
#include <string>

#include "base/metrics.hpp"

namespace catena::cli {

/// Memory, processor time, descriptors, and the room on the disk of `data_dir`. What cannot be read stays as it was.
void measure_process(Metrics& metrics, const std::string& data_dir);

struct DiskUse {
  std::uint64_t bytes = 0;  // of all files below the directory
  std::uint64_t free = 0;   // on its disk
  std::uint64_t total = 0;  // that the disk has
};
/// Files that go meanwhile are not counted.
[[nodiscard]] DiskUse disk_use(const std::string& directory);

}  // namespace catena::cli
