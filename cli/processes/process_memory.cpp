#include "cli/processes/process_memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

/// Of jemalloc; null where the program is not linked with it.
extern "C" int mallctl(const char* name, void* old_value, std::size_t* old_size, void* new_value, std::size_t new_size) __attribute__((weak));

namespace catena::cli {
namespace {

/// The number that a text begins with; nothing where it begins otherwise, as `max` does.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{}) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> machine_memory(const ReadSystemFile& read) {
  constexpr std::string_view kTotal = "MemTotal:";
  const auto text = read("/proc/meminfo");
  const auto at = text ? text->find(kTotal) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  const auto number = std::min(text->find_first_not_of(' ', at + kTotal.size()), text->size());
  const auto kilobytes = leading_number(std::string_view{*text}.substr(number));
  if (!kilobytes) return std::nullopt;
  return *kilobytes * 1024;
}

/// The least limit of a group and of all around it.
std::optional<std::uint64_t> group_limit(const ReadSystemFile& read, const std::string& root, std::string group, const std::string& file) {
  std::optional<std::uint64_t> least;
  while (true) {
    const auto text = read(root + (group == "/" ? "" : group) + "/" + file);
    const auto limit = text ? leading_number(*text) : std::nullopt;
    if (limit) least = std::min(least.value_or(*limit), *limit);
    if (group.empty() || group == "/") return least;
    group.resize(group.rfind('/'));
  }
}

/// Lines of /proc/self/cgroup: "0::/group" of version 2, "7:memory:/group" of version 1.
std::optional<std::uint64_t> cgroup_memory(const ReadSystemFile& read) {
  std::optional<std::uint64_t> least;
  std::istringstream lines{read("/proc/self/cgroup").value_or("")};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto group = line.substr(second + 1);
    std::optional<std::uint64_t> limit;
    if (controllers == ",,") limit = group_limit(read, "/sys/fs/cgroup", group, "memory.max");
    if (controllers.find(",memory,") != std::string::npos) limit = group_limit(read, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (limit) least = std::min(least.value_or(*limit), *limit);
  }
  return least;
}

void return_free_memory() {
  constexpr auto* kAllArenas = "arena.4096.purge";  // MALLCTL_ARENAS_ALL
  if (mallctl != nullptr) {
    mallctl(kAllArenas, nullptr, nullptr, nullptr, 0);
  } else {
    ::malloc_trim(0);
  }
}

std::uint64_t resident_now() {
  const auto text = read_system_file("/proc/self/statm").value_or("");
  const auto space = text.find(' ');
  const auto pages = space == std::string::npos ? std::nullopt : leading_number(std::string_view{text}.substr(space + 1));
  return pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<std::string> read_system_file(const std::string& path) {
  std::ifstream file{path};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

std::uint64_t memory_there_is(const ReadSystemFile& read) {
  const auto machine = machine_memory(read);
  const auto group = cgroup_memory(read);
  if (machine && group) return std::min(*machine, *group);
  return machine.value_or(group.value_or(0));
}

std::uint64_t memory_mark(std::uint64_t set, std::uint64_t there_is) { return set != 0 ? set : there_is / 5 * 4; }

std::uint64_t resident_memory(std::uint64_t mark) {
  const auto resident = resident_now();
  if (mark == 0 || resident < mark - mark / 10) return resident;
  return_free_memory();
  return resident_now();
}

/// Without it a thread of jemalloc gives back only as it allocates: what ten thousand chains had used before they slept stayed for a minute.
void return_memory_when_idle() {
  if (mallctl == nullptr) return;
  std::size_t threads = 1;
  bool enabled = true;
  mallctl("max_background_threads", nullptr, nullptr, &threads, sizeof threads);
  mallctl("background_thread", nullptr, nullptr, &enabled, sizeof enabled);
}

}  // namespace catena::cli
