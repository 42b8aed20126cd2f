#pragma once
// The store in memory that remembers with which commit each event was written.
#include <map>
#include <optional>
#include <string>

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"

namespace catena::simulation {

class WatchedKv final : public storage::Kv {
 public:
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override { return kv.get(key); }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    return kv.scan(from, to, visitor);
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override {
    auto written = kv.write(batch, durability);
    if (!written) return written;
    batch.for_each([&](storage::Batch::Op op, std::string_view key, std::string_view) {
      if (op == storage::Batch::Op::put && storage::keys::sequence_of(key)) written_[std::string{key}] = kv.commit();
    });
    return written;
  }
  [[nodiscard]] std::uint64_t epoch() const override { return kv.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv.durable_commit(); }

  /// The commit that holds an event.
  [[nodiscard]] std::uint64_t commit_of(const ChainId& chain, Sequence sequence) const {
    const auto known = written_.find(storage::keys::event(chain, sequence));
    return known == written_.end() ? UINT64_MAX : known->second;
  }

  storage::MemoryKv kv;

 private:
  std::map<std::string, std::uint64_t> written_;
};

}  // namespace catena::simulation
