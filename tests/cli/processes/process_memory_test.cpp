// How much memory a process may use, as its cgroups and its machine say.
#include "cli/processes/process_memory.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace catena::cli {
namespace {

constexpr std::uint64_t kMib = 1UL << 20U;

std::uint64_t there_is(std::map<std::string, std::string> files) {
  return memory_there_is([files = std::move(files)](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  });
}

const std::pair<const std::string, std::string> kMachine{"/proc/meminfo", "MemTotal:       2097152 kB\nMemFree:  1 kB\n"};

TEST_CASE("without a cgroup that limits it a process has the memory of its machine") {
  CHECK(there_is({kMachine}) == 2048 * kMib);
  CHECK(there_is({kMachine, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "max\n"}}) == 2048 * kMib);
  CHECK(there_is({}) == 0);
}

TEST_CASE("the least limit of a group and of those around it counts") {
  CHECK(there_is({kMachine,
                  {"/proc/self/cgroup", "0::/system.slice/catena.service\n"},
                  {"/sys/fs/cgroup/system.slice/catena.service/memory.max", "max\n"},
                  {"/sys/fs/cgroup/system.slice/memory.max", "536870912\n"},
                  {"/sys/fs/cgroup/memory.max", "1073741824\n"}}) == 512 * kMib);
  CHECK(there_is({kMachine, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "536870912\n"}}) == 512 * kMib);
}

TEST_CASE("groups of version 1 are read, and a limit that is none is not believed") {
  const std::string groups = "9:cpu,cpuacct:/x\n7:memory:/docker/1\n1:name=systemd:/\n";
  CHECK(there_is({kMachine, {"/proc/self/cgroup", groups}, {"/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "268435456\n"}}) == 256 * kMib);
  CHECK(there_is({kMachine, {"/proc/self/cgroup", groups}, {"/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n"}}) ==
        2048 * kMib);
}

TEST_CASE("the mark is what was set, or four fifths of what there is") {
  CHECK(memory_mark(7, 1000) == 7);
  CHECK(memory_mark(0, 1000) == 800);
  CHECK(memory_mark(0, 0) == 0);
}

TEST_CASE("memory that is in use is seen, and what is no longer used is given back at the mark") {
  const auto before = resident_memory(0);
  CHECK(before > kMib);
  // Small pieces: those of the heap, which keeps them when they are freed.
  std::vector<std::string> pieces;
  for (std::size_t count = 0; count < 1'000'000; ++count) pieces.emplace_back(64, 'x');
  const auto full = resident_memory(0);
  CHECK(full > before + 64 * kMib);
  const std::string last = pieces.back();
  pieces = {};
  std::vector<std::string>{}.swap(pieces);
  CHECK(resident_memory(full / 2) < full - 32 * kMib);
}

}  // namespace
}  // namespace catena::cli
