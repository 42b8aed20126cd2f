#pragma once
// Chains as commands move and watch them: those of a data directory (cli/processes/embedded.hpp) or of a cluster (client/cluster_client.hpp).
// Blocking, for one thread.
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "base/result.hpp"
#include "client/questions.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::client {

/// What a submission came to.
struct Submitted {
  ChainId chain;       // that runs: with a key it may be one that was submitted before, under another id
  bool again = false;  // it was submitted before
};

class ChainsPort {
 public:
  virtual ~ChainsPort() = default;

  /// Each returns once the chain's answer is durable. `reason`: in the words of who asks, for the audit log; may be empty. Errors: chain_exists,
  /// submission_conflict, chain_not_found, chain_state, id_invalid, storage_corrupt; connection_failed of a cluster.
  [[nodiscard]] virtual Result<Submitted> submit(actors::Submission submission) = 0;
  /// Begins a chain with what another one had come to, under the id that is given. Errors: usage, argument_type and what else a fork is refused with.
  [[nodiscard]] virtual Result<void> fork(actors::ForkChain fork) = 0;
  [[nodiscard]] virtual Result<void> resume(const ChainId& chain, const std::string& reason) = 0;
  [[nodiscard]] virtual Result<void> control(actors::Control control) = 0;

  /// Takes chains that have ended out of the store, with all their descendants; `ended_before`: see actors::RemoveChains. Answers when they are
  /// gone: which, and why the others stay.
  [[nodiscard]] virtual Result<actors::ChainsRemoved> remove(const std::vector<ChainId>& chains, UnixMillis ended_before,
                                                             const std::string& reason) = 0;

  /// What wait() tells while it waits, every `tick`. Answer false to stop waiting.
  using Watcher = std::function<bool(const std::optional<actors::Progress>&)>;
  /// Waits for the chain's end; empty when the watcher stopped it.
  [[nodiscard]] virtual Result<std::optional<actors::ChainEnded>> wait(const ChainId& chain, std::chrono::milliseconds tick,
                                                                       const Watcher& watcher) = 0;

  /// Access tokens. Errors: usage, storage_io; connection_failed of a cluster.
  [[nodiscard]] virtual Result<coordinator::TokenTold> create_token(const actors::CreateToken& wish) = 0;
  [[nodiscard]] virtual Result<void> revoke_token(const std::string& id) = 0;

  /// Schedules: see coordinator/schedule_keeper.hpp. Errors: what the keeper says; connection_failed of a cluster, where nobody knows then whether it
  /// was done.
  [[nodiscard]] virtual Result<actors::ScheduleDone> put_schedule(const actors::PutSchedule& put) = 0;
  [[nodiscard]] virtual Result<actors::ScheduleDone> order_schedule(const actors::OrderSchedule& order) = 0;

  /// Why a chain, or a step of it, does not move, as far as others know than its records: see actors::AskExplain.
  [[nodiscard]] virtual Result<std::vector<engine::Reason>> explain(const ChainId& chain, const std::string& step = {}) = 0;
  /// What waits of all chains, and why.
  [[nodiscard]] virtual Result<std::vector<actors::QueueGroup>> queue() = 0;
  [[nodiscard]] virtual Questions& questions() = 0;
  /// Chains go on when this process ends.
  [[nodiscard]] virtual bool elsewhere() const = 0;
};

}  // namespace catena::client
