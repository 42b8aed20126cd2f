#pragma once
// The store in memory, for tests and simulation: it loses on a crash exactly what a disk may lose, and fails where it is told to.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "storage/kv.hpp"

namespace catena::storage {

class MemoryKv final : public Kv {
 public:
  /// What became of a write that answered with an error: a failed sync leaves either.
  enum class Fault : std::uint8_t { lost, landed };

  MemoryKv();

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override;
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override;
  [[nodiscard]] Result<void> write(const Batch& batch, Durability durability) override;
  [[nodiscard]] std::uint64_t epoch() const override;
  [[nodiscard]] std::uint64_t commit() const override;
  [[nodiscard]] std::uint64_t durable_commit() const override;

  /// The nth write from now (1 is the next) fails, and so do all after it until crash() or reopen().
  void fail_write(std::uint64_t nth, Fault fault = Fault::lost);
  /// Power fails and the store is opened again: what was not synced is gone but for the first `kept` of the async commits, which the disk had
  /// taken by then; the epoch is raised.
  void crash(std::size_t kept = 0);
  /// Async commits that the next crash may take.
  [[nodiscard]] std::size_t unsynced() const;
  /// The store is closed in order and opened again: nothing is lost, the epoch is raised.
  void reopen();

  using Map = std::map<std::string, std::string, std::less<>>;
  /// All a store holds, volatile and durable.
  struct Snapshot {
    Map visible;
    Map durable;
    std::vector<Batch> unsynced;  // the async commits since the last sync
    std::uint64_t epoch = 0;
    std::uint64_t commit = 0;
    std::uint64_t durable_commit = 0;
  };
  [[nodiscard]] Snapshot snapshot() const;
  void restore(Snapshot snapshot);

 private:
  struct Planned {
    std::uint64_t writes_left;
    Fault fault;
  };
  void apply_write(const Batch& batch, Durability durability);
  void open();

  mutable std::mutex mutex_;
  Snapshot now_;
  std::optional<Planned> planned_;
  std::optional<Error> broken_;
};

}  // namespace catena::storage
