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
#include "client/chains_port.hpp"
#include "coordinator/log_book.hpp"
#include "coordinator/services.hpp"
#include "worker/executor.hpp"

namespace catena::cli {

struct EmbeddedOptions {
  std::string data_dir;
  std::string programs_dir;          // where programs of chains are written, to be run
  std::uint64_t programs_bytes = 0;  // that are kept there; 0: without bound
  std::uint32_t slots = 0;           // 0: twice the processors, at least 4
  coordinator::Settings chains;
  coordinator::LogLimits logs;
  worker::ExecutorOptions executors;
  bool accept_rewound = false;
  const Clock* clock = nullptr;                                                             // null: one of its own
  std::function<coordinator::OpenDefinitionShelf(const storage::Kv& kv)> definitions = {};  // see CoreOptions
};

/// Ends the process because an actor failed that it cannot do without. Takes no memory: there may be none.
[[noreturn]] void stop_without(std::string_view what);

class Embedded final : public client::ChainsPort {
 public:
  /// To be called before other threads are there. Errors: tool_not_started when no keeper can be started; storage_locked, storage_io, storage_format,
  /// storage_corrupt, storage_rewound.
  [[nodiscard]] static Result<std::unique_ptr<Embedded>> open(const EmbeddedOptions& options);
  ~Embedded() override;
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  [[nodiscard]] Result<client::Submitted> submit(actors::Submission submission) override;
  [[nodiscard]] Result<void> fork(actors::ForkChain fork) override;
  [[nodiscard]] Result<void> resume(const ChainId& chain, const std::string& reason) override;
  [[nodiscard]] Result<void> control(actors::Control control) override;
  [[nodiscard]] Result<actors::ChainsRemoved> remove(const std::vector<ChainId>& chains, UnixMillis ended_before, const std::string& reason) override;
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) override;
  [[nodiscard]] Result<coordinator::TokenTold> create_token(const actors::CreateToken& wish) override;
  [[nodiscard]] Result<void> revoke_token(const std::string& id) override;
  [[nodiscard]] Result<actors::ScheduleDone> put_schedule(const actors::PutSchedule& put) override;
  [[nodiscard]] Result<actors::ScheduleDone> order_schedule(const actors::OrderSchedule& order) override;
  [[nodiscard]] Result<std::vector<engine::Reason>> explain(const ChainId& chain, const std::string& step = {}) override;
  [[nodiscard]] Result<std::vector<actors::QueueGroup>> queue() override;
  [[nodiscard]] client::Questions& questions() override;
  [[nodiscard]] bool elsewhere() const override { return false; }
  /// Other commands of this user that are connected now.
  [[nodiscard]] std::uint32_t guests() const;
  /// What was put right in the data directory when it was opened, in words.
  [[nodiscard]] const std::optional<std::string>& put_right() const;

 private:
  template <class Asked>
  [[nodiscard]] Result<actors::ScheduleDone> ask_schedules(Asked asked);
  struct Parts;
  explicit Embedded(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
