#pragma once
// A store that cannot be read at the moment is no outcome of a step: the error of a read may have become a default, or the null of an item
// that was allowed to fail. So whoever evaluates reads through this, and where a read failed nothing of what came of it is used: the actors
// of the chain end, and are built anew from the journal.
#include <caf/error.hpp>
#include <optional>

#include "base/error.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// For one actor; reads only.
class WatchedReads final : public storage::Kv {
 public:
  explicit WatchedReads(const storage::Kv& kv) : kv_{kv} {}

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override {
    auto found = kv_.get(key);
    if (!found) note(found.error());
    return found;
  }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    auto scanned = kv_.scan(from, to, visitor);
    if (!scanned) note(scanned.error());
    return scanned;
  }
  [[nodiscard]] Result<void> write(const storage::Batch&, storage::Durability) override {
    return fail(Code::internal, "what only reads the store was asked to write");
  }
  [[nodiscard]] std::uint64_t epoch() const override { return kv_.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv_.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv_.durable_commit(); }

  /// The last read that failed for a reason that may pass.
  [[nodiscard]] const std::optional<Error>& failed() const { return failed_; }

 private:
  void note(const Error& error) const {
    if (error.code == Code::storage_io) failed_ = error;
  }

  const storage::Kv& kv_;
  mutable std::optional<Error> failed_;
};

/// With which an actor ends that could not read the store.
[[nodiscard]] caf::error unread(const Error& error);
[[nodiscard]] bool is_unread(const caf::error& reason);

}  // namespace catena::coordinator
