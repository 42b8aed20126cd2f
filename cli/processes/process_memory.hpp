#pragma once
// How much memory this process uses, and how much it may.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace catena::cli {

/// The content of a file of the system; nothing when it cannot be read. A test hands in its own.
using ReadSystemFile = std::function<std::optional<std::string>(const std::string& path)>;
[[nodiscard]] std::optional<std::string> read_system_file(const std::string& path);

/// Bytes that the process may use before the kernel ends it: the least of what the machine has and the limits of its cgroup (version 2 or 1)
/// and of those around it. 0: nothing can be read.
[[nodiscard]] std::uint64_t memory_there_is(const ReadSystemFile& read);

/// At how many bytes no new chains are taken: as set, or 80 % of what there is. 0: neither is known.
[[nodiscard]] std::uint64_t memory_mark(std::uint64_t set, std::uint64_t there_is);

/// Bytes of this process in memory. Gives back first what the heap holds without using it, where the process is at `mark` (0: never): a mark
/// that is passed once would be passed for ever otherwise.
[[nodiscard]] std::uint64_t resident_memory(std::uint64_t mark);

/// For processes that stay: what the heap no longer uses goes back also while little happens. A thread does that, so not before the keeper is
/// started.
void return_memory_when_idle();

}  // namespace catena::cli
