#pragma once
// The store of a coordinator, read over a client's connection. Blocks, for the thread of the client.
#include <functional>

#include "coordinator/client_calls.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

/// Makes a call and waits for the body of its answer. Error: connection_failed.
using CallCoordinator = std::function<Result<std::string>(const coordinator::ClientAsk& ask)>;

/// A scan goes in pages: what is written meanwhile may show in later ones. Writes are refused.
class RemoteKv final : public storage::Kv {
 public:
  explicit RemoteKv(CallCoordinator call) : call_{std::move(call)} {}

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override;
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override;
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override;
  /// 0: whose they are knows them.
  [[nodiscard]] std::uint64_t epoch() const override { return 0; }
  [[nodiscard]] std::uint64_t commit() const override { return 0; }
  [[nodiscard]] std::uint64_t durable_commit() const override { return 0; }

 private:
  CallCoordinator call_;
};

}  // namespace catena::cli
