#pragma once
// The program of an order as it is run on this machine: not the file of that name, but the content that the chain pinned.
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
  LocalPrograms(std::string directory, Content content, ProgramReaders readers = ProgramReaders::owner)
      : cache_{std::move(directory), /*bytes_max=*/0, readers}, content_{std::move(content)} {}

  /// Errors: those of put_in_place; tool_not_started, where there is no such content.
  [[nodiscard]] Result<void> operator()(actors::WorkOrder& order);

 private:
  ProgramCache cache_;
  Content content_;
};

}  // namespace catena::worker
