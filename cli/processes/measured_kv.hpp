#pragma once
// A store whose writes are counted and timed. Reads pass.
#include "base/metrics.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

class MeasuredKv final : public storage::Kv {
 public:
  /// Both must outlive it.
  MeasuredKv(storage::Kv& kv, Metrics& metrics) : kv_{kv}, metrics_{metrics} {}

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override { return kv_.get(key); }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    return kv_.scan(from, to, visitor);
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override;
  [[nodiscard]] std::uint64_t epoch() const override { return kv_.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv_.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv_.durable_commit(); }

 private:
  storage::Kv& kv_;
  Metrics& metrics_;
};

}  // namespace catena::cli
