#pragma once
// The store of a coordinator, read over a client's connection; and its file store. Both block, for the thread of the client.
#include <functional>

#include "coordinator/client_calls.hpp"
#include "lang/file_port.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

/// Makes a call and waits for its answer. Error: connection_failed.
using CallCoordinator = std::function<Result<actors::ClientAnswer>(const coordinator::ClientAsk& ask)>;

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

 private:
  CallCoordinator call_;
};

class ClusterFiles final : public lang::FileStore {
 public:
  explicit ClusterFiles(CallCoordinator call) : call_{std::move(call)} {}

  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view directory, std::string_view pattern,
                                                            std::size_t most) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override;
  [[nodiscard]] Result<lang::FileVersion> put(const lang::NewFile& file) override;
  [[nodiscard]] Result<bool> remove(std::string_view path) override;
  [[nodiscard]] Result<std::uint64_t> remove_directory(std::string_view directory) override;

 private:
  [[nodiscard]] actors::FileReply ask(actors::FileRequest request) const;
  CallCoordinator call_;
};

}  // namespace catena::cli
