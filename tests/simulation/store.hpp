#pragma once
// The store in memory that remembers with which write each event was written, and fails where it is told to.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"

namespace catena::simulation {

/// What the coordinator sees of its disk. The harness looks at `kv`, which never fails to be read.
class WatchedKv final : public storage::Kv {
 public:
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override {
    if (read_fails()) return unreadable();
    return kv.get(key);
  }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    if (read_fails()) return unreadable();
    return kv.scan(from, to, visitor);
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override {
    auto written = kv.write(batch, durability);
    if (!written) return written;
    ++writes_;
    batch.for_each([&](storage::Batch::Op op, std::string_view key, std::string_view) {
      if (op == storage::Batch::Op::put && storage::keys::sequence_of(key)) written_[std::string{key}] = writes_;
    });
    return written;
  }
  [[nodiscard]] std::uint64_t epoch() const override { return kv.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv.durable_commit(); }

  /// Batches written so far. Numbers of commits come again where some were lost; these do not.
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  /// Which of them holds an event.
  [[nodiscard]] std::uint64_t write_of(const ChainId& chain, Sequence sequence) const {
    const auto range = storage::keys::events(chain, sequence);  // it is in the first record that ends there or later
    const auto known = written_.lower_bound(range.from);
    return known == written_.end() || known->first >= range.to ? UINT64_MAX : known->second;
  }

  /// The nth read from now (1 is the next) fails, and none after it; 0: none.
  void fail_read(std::uint64_t nth) { reads_left_ = nth; }
  /// Reads that failed so far.
  [[nodiscard]] std::uint64_t failed_reads() const { return failed_reads_; }

  storage::MemoryKv kv;

 private:
  [[nodiscard]] bool read_fails() const {
    if (reads_left_ == 0 || --reads_left_ > 0) return false;
    ++failed_reads_;
    return true;
  }
  static tl::unexpected<Error> unreadable() { return fail(Code::storage_io, "a read failed because the simulation told it to"); }

  std::map<std::string, std::uint64_t> written_;
  std::uint64_t writes_ = 0;
  mutable std::uint64_t reads_left_ = 0;
  mutable std::uint64_t failed_reads_ = 0;
};

}  // namespace catena::simulation
