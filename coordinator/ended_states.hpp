#pragma once
// What the chains that ended last had come to: who waited for a short chain and asks for it at once is answered without its records being read. From
// any thread.
#include <deque>
#include <mutex>
#include <optional>

#include "coordinator/recover.hpp"

namespace catena::coordinator {

class EndedStates {
 public:
  /// Small ones alone: others are read from their records. `removals`: how many chains had been removed from the store by then.
  void put(const ChainId& chain, const engine::ChainState& state, const storage::ChainSummary& summary, Sequence checkpointed,
           std::uint64_t removals);
  /// The chain goes on, or another one begins under its id.
  void drop(const ChainId& chain);
  /// None: it is not among the latest, or a chain was removed since, which may have been this one.
  [[nodiscard]] std::optional<Recovered> find(const ChainId& chain, std::uint64_t removals) const;

 private:
  struct Ended {
    std::uint64_t removals = 0;
    Recovered recovered;
  };
  mutable std::mutex mutex_;
  std::deque<Ended> ended_;  // the newest first
};

}  // namespace catena::coordinator
