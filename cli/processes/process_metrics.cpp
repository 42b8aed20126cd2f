#include "cli/processes/process_metrics.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <iterator>

#include "cli/processes/process_memory.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

std::int64_t micros_of(const ::timeval& time) { return time.tv_sec * std::int64_t{1'000'000} + time.tv_usec; }

}  // namespace

void measure_process(Metrics& metrics, const std::string& data_dir) {
  metrics.set(Metric::resident_bytes, static_cast<std::int64_t>(resident_memory(0)));
  ::rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) metrics.set(Metric::cpu_micros, micros_of(used.ru_utime) + micros_of(used.ru_stime));
  std::error_code failed;
  fs::directory_iterator descriptors{"/proc/self/fd", failed};
  if (!failed) metrics.set(Metric::open_descriptors, std::distance(begin(descriptors), end(descriptors)) - 1);  // without that of the listing
  const auto disk = fs::space(data_dir, failed);
  if (!failed) metrics.set(Metric::data_bytes_free, static_cast<std::int64_t>(disk.available));
}

DiskUse disk_use(const std::string& directory) {
  DiskUse use;
  std::error_code failed;
  fs::recursive_directory_iterator at{directory, fs::directory_options::skip_permission_denied, failed};
  for (; !failed && at != fs::recursive_directory_iterator{}; at.increment(failed)) {
    std::error_code gone;
    if (const auto bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0; !gone) use.bytes += bytes;
  }
  const auto disk = fs::space(directory, failed);
  if (!failed) use.free = disk.available, use.total = disk.capacity;
  return use;
}

}  // namespace catena::cli
