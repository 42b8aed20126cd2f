#pragma once
// Messages about what leaves the store: chains that are removed, contents that nothing refers to. They never leave the process; messages.hpp
// includes them.
#include <caf/actor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {
class Candidates;
}

namespace catena::actors {

struct Refused {
  ChainId chain;
  Error error;
};

/// Of the supervisor to itself: keys of submissions expire.
struct KeysDue {};
/// Takes chains that have ended out of the store, with all their descendants. Answered with ChainsRemoved when they are gone.
struct RemoveChains {
  std::vector<ChainId> chains;
  UnixMillis ended_before = 0;  // one that ended later, or was retried meanwhile, stays; 0: whenever it ended
  storage::Durability durability = storage::Durability::sync;
  std::string reason = {};  // in the words of who asked, for the audit log
  bool only_check = false;  // say which would be removed, and remove none
};
struct ChainsRemoved {
  std::vector<ChainId> removed;
  std::vector<Refused> refused;
};
/// Of the supervisor to the housekeeper: these chains may be removed, and nobody does anything else with them until RemovalsOver.
struct CarryOutRemovals {
  std::vector<ChainId> chains;
  std::vector<Refused> refused;
  storage::Durability durability = storage::Durability::sync;
  caf::actor asker;
};
struct RemovalsOver {
  std::vector<ChainId> chains;
};
/// Of the housekeeper to itself: the next of what is to be done bit by bit; look what is due.
struct KeepOn {};
struct RetentionDue {};
/// Of the housekeeper to the journal: from now on these see all that is written. Answered with CollectionBegun.
struct BeginCollection {
  std::shared_ptr<coordinator::Candidates> candidates;
};
struct CollectionBegun {};
/// Remove some of the candidates that nothing has named. Answered with ContentsSwept; when there are no more, the collection is over.
struct SweepContents {
  std::size_t most = 0;
};
struct ContentsSwept {
  std::uint64_t contents = 0;
  bool more = false;
};
/// Of the housekeeper to itself: the next part of a collection.
struct CollectionDue {};
/// The same: go on with what an earlier process had begun.
struct TakeOverRemovals {};

}  // namespace catena::actors

// clang-format off
#define CATENA_HOUSEKEEPING_MESSAGES(X) \
  X(RemoveChains) X(ChainsRemoved) X(CarryOutRemovals) X(RemovalsOver) X(KeepOn) X(RetentionDue) X(TakeOverRemovals) \
  X(BeginCollection) X(CollectionBegun) X(SweepContents) X(ContentsSwept) X(CollectionDue)
// clang-format on
