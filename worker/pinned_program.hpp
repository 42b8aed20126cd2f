#pragma once
// The program of an order as it is run on this machine: not the file of that name, but the content that the chain pinned.
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "actors/protocol.hpp"
#include "base/result.hpp"
#include "worker/program_cache.hpp"

namespace catena::worker {

/// `path` is where the cache has the order's content. Target and arguments become files of this machine. Errors, retryable: tool_not_started.
[[nodiscard]] Result<void> put_in_place(ProgramCache& cache, const std::string& path, actors::WorkOrder& order);

/// Of a process that has the contents itself. For one thread.
class LocalPrograms {
 public:
  /// The content with that SHA-256; nothing where there is none.
  using Content = std::function<Result<std::optional<std::string>>(const std::string& hash)>;
  /// `bytes_max` and `readers` as the cache has them.
  LocalPrograms(std::string directory, Content content, std::uint64_t bytes_max = 0, ProgramReaders readers = ProgramReaders::owner)
      : cache_{std::move(directory), bytes_max, readers}, content_{std::move(content)} {}

  /// Errors: those of put_in_place; tool_not_started, where there is no such content.
  [[nodiscard]] Result<void> operator()(actors::WorkOrder& order);

 private:
  void hold(const std::string& hash);

  ProgramCache cache_;
  Content content_;
  std::deque<std::string> held_;  // the one that was run last is the last
};

}  // namespace catena::worker
