#include "cli/processes/measured_kv.hpp"

#include <chrono>

namespace catena::cli {

Result<void> MeasuredKv::write(const storage::Batch& batch, storage::Durability durability) {
  const auto began = std::chrono::steady_clock::now();
  auto written = kv_.write(batch, durability);
  if (!written) return written;
  metrics_.add(Metric::commits, 1, static_cast<std::size_t>(durability));
  metrics_.add(Metric::commit_bytes, batch.bytes());
  if (durability == storage::Durability::sync) {
    const auto took = std::chrono::steady_clock::now() - began;
    metrics_.observe(Metric::commit_duration, std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  }
  return written;
}

}  // namespace catena::cli
