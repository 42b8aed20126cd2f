#pragma once
// What the system knows of this process, as metrics.
#include <string>

#include "base/metrics.hpp"

namespace catena::cli {

/// Memory, processor time, descriptors, and the room on the disk of `data_dir`. What cannot be read stays as it was.
void measure_process(Metrics& metrics, const std::string& data_dir);

}  // namespace catena::cli
