#pragma once
// Takes out of the store what is not wanted any more, a little at a time and through the one writer: chains that somebody removes, and those
// that were kept for long enough. What a crash leaves half done is gone on with at the next start.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/collection.hpp"
#include "coordinator/services.hpp"
#include "storage/chain_removal.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {

/// Of contents that nothing refers to.
struct CollectionUnderWay {
  ContentWalk walk;
  std::shared_ptr<Candidates> candidates = std::make_shared<Candidates>();
  enum class Phase : std::uint8_t { lists, begins, looks, sweeps } phase = Phase::lists;
  bool listed_all = false;
  std::uint64_t removed_before = 0;  // chains
  std::uint64_t steps = 0;
  std::uint64_t contents = 0;  // that went
};

struct HousekeeperState {
  using Collection = CollectionUnderWay;
  /// What somebody asked for: answered when all of it is done.
  struct Order {
    caf::actor asker;
    storage::Durability durability = storage::Durability::sync;
    std::size_t open = 0;
    actors::ChainsRemoved done;
  };
  struct Removal {
    ChainId chain;
    std::shared_ptr<Order> order;  // null: left by an earlier process
    bool begun = false;
  };
  std::shared_ptr<Services> services;
  std::deque<Removal> removals;
  std::vector<Removal> written;  // of the commit that is under way: over with it
  actors::CommitNumber last_commit = 0;
  bool writing = false;
  std::optional<std::uint64_t> removed;  // chains so far, as the store has it
  std::uint32_t unread = 0;              // how often the store could not be read since it last could

  // What is due by the retention of chains.
  std::size_t looking_at = 0;                // index in kStatusesThatEnd
  std::optional<storage::IndexPlace> place;  // behind which the index is read next

  std::optional<Collection> collection;         // that is under way
  std::optional<std::uint64_t> collected_when;  // so many chains had been removed; none: a collection is due anyway
  static inline const char* name = "housekeeper";
};

caf::behavior housekeeper(caf::stateful_actor<HousekeeperState>* self, std::shared_ptr<Services> services);

}  // namespace catena::coordinator
