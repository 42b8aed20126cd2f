#pragma once
// How many chains were removed from the store so far, without a read of the store for each chain that begins or ends. From any thread.
#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "storage/chain_removal.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class RemovalCount {
 public:
  /// What the store has, or had when the last removal was over.
  [[nodiscard]] Result<std::uint64_t> of(const storage::Kv& kv) {
    const auto known = count_.load();
    if (known != kUnknown) return known;
    auto stored = storage::load_removal_count(kv);
    if (!stored) return stored;
    auto before = kUnknown;
    return count_.compare_exchange_strong(before, *stored) ? *stored : before;  // a removal may have come to its end meanwhile
  }
  /// Removals that were written are over: to be called before anybody may use their ids again, and not before they are written. A chain that counts
  /// a removal which the next process does not know of could not be told from a later one under its id.
  void set(std::uint64_t count) { count_ = count; }

 private:
  static constexpr std::uint64_t kUnknown = UINT64_MAX;
  std::atomic<std::uint64_t> count_{kUnknown};
};

}  // namespace catena::coordinator
