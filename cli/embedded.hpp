#pragma once
// Coordinator and worker in this process, over an embedded store: what `catena run`, `resume`, `retry` and `cancel` stand on. Blocking, for
// one thread.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/messages.hpp"
#include "base/result.hpp"
#include "coordinator/services.hpp"
#include "storage/kv.hpp"
#include "worker/executor.hpp"

namespace catena::cli {

struct EmbeddedOptions {
  std::string data_dir;
  std::uint32_t slots = 0;  // 0: twice the processors, at least 4
  coordinator::Settings chains;
  worker::ExecutorOptions executors;
  bool accept_rewound = false;
};

class Embedded {
 public:
  /// Errors: storage_locked, storage_io, storage_format, storage_corrupt, storage_rewound.
  [[nodiscard]] static Result<std::unique_ptr<Embedded>> open(const EmbeddedOptions& options);
  ~Embedded();
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  /// Each returns once the chain's answer is durable. Errors: chain_exists, chain_not_found, chain_state, id_invalid, storage_corrupt.
  [[nodiscard]] Result<void> submit(actors::Submission submission);
  [[nodiscard]] Result<void> resume(const ChainId& chain);
  [[nodiscard]] Result<void> order(actors::Order order);

  /// What wait() tells while it waits, every `tick`. Answer false to stop waiting.
  using Watcher = std::function<bool(const std::optional<actors::Progress>&)>;
  /// Waits for the chain's end; empty when the watcher stopped it.
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher);

  [[nodiscard]] const storage::Kv& kv() const;

 private:
  struct Parts;
  explicit Embedded(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
