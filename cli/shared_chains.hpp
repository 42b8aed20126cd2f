#pragma once
// The chains of a data directory, whoever holds it: this process, or another of the same user, which then does what is asked. Where that one ends
// meanwhile, the directory is opened again, here or through the next, and what was under way goes on.
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/console.hpp"
#include "cli/processes/embedded.hpp"
#include "client/chains_port.hpp"
#include "client/cluster_client.hpp"

namespace catena::cli {

class SharedChains final : public client::ChainsPort {
 public:
  /// Errors: those of Embedded::open; storage_locked where the holder lets nobody in, with what to do.
  [[nodiscard]] static Result<std::unique_ptr<client::ChainsPort>> open(std::string data_dir, std::uint32_t slots, Console& console);
  /// Waits for the commands that this process does the work of, unless it is interrupted.
  ~SharedChains() override;
  SharedChains(const SharedChains&) = delete;
  SharedChains& operator=(const SharedChains&) = delete;

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
  [[nodiscard]] client::Questions& questions() override { return questions_; }
  [[nodiscard]] bool elsewhere() const override { return here_ == nullptr; }

 private:
  SharedChains(std::string data_dir, std::uint32_t slots, Console& console) : data_dir_{std::move(data_dir)}, slots_{slots}, console_{console} {}
  class AskedHere final : public client::Questions {
   public:
    explicit AskedHere(SharedChains& chains) : chains_{chains} {}

   private:
    [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override;
    SharedChains& chains_;
  };
  [[nodiscard]] Result<void> open();
  /// What `call` answers; where the process that held the directory is gone, what `again` answers once the directory is open again.
  template <class Call, class Again>
  [[nodiscard]] std::invoke_result_t<Call> through(const Call& call, const Again& again);

  template <class Call>
  [[nodiscard]] Result<actors::ScheduleDone> through_once(const Call& call);

  std::string data_dir_;
  std::uint32_t slots_;
  Console& console_;
  std::unique_ptr<client::ChainsPort> chains_;  // null: they could not be opened again
  const Embedded* here_ = nullptr;              // the same, where this process holds the directory
  AskedHere questions_{*this};
};

/// A connection to the process that holds the directory. Errors: connection_failed, where it lets nobody in.
[[nodiscard]] Result<std::unique_ptr<client::ClusterClient>> connect_to_holder(const std::string& data_dir);
/// storage_locked, with what somebody can do who needs the directory.
[[nodiscard]] Error with_way_in(Error locked, const std::string& data_dir);

}  // namespace catena::cli
