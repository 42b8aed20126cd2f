#pragma once
// The one writer. Everything that waits while a commit is being synced goes into the next one (group commit). A failed write ends
// the process through `fatal`: what is on disk is then unknown, and a restart finds out.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/chain_followers.hpp"
#include "coordinator/collection.hpp"
#include "coordinator/feed.hpp"

namespace catena::coordinator {

struct JournalState {
  storage::Batch logged;                                       // sync or async
  storage::Durability durability = storage::Durability::none;  // the strongest that it needs
  /// Apart: in one write with what is logged a commit would outlive those of its own chain before it, and leave a gap in its journal.
  storage::Batch unlogged;
  std::vector<std::pair<caf::actor, actors::CommitNumber>> waiting;
  storage::Batch behind;  // written when those have been answered
  std::vector<std::pair<caf::actor, actors::CommitNumber>> behind_waiting;
  bool flushing = false;                 // a flush is on its way
  std::vector<storage::Notice> notices;  // that came with what waits
  std::optional<FeedNumbers> feed;       // none: no feed is kept
  std::optional<FeedNumbers> audit;      // none: no audit log is kept
  std::vector<caf::actor> followers;     // of the feed
  ChainFollowers chain_followers;
  std::shared_ptr<Candidates> candidates = {};  // of a collection that is under way: they see whatever is written; null: none is
  static inline const char* name = "journal";
};

using Fatal = std::function<void(const Error&)>;

/// How many at least are kept; 0: none.
struct JournalKeeps {
  std::uint64_t notices = 0;
  std::uint64_t audit = 0;
};
caf::behavior journal_actor(caf::stateful_actor<JournalState>* self, storage::Kv* kv, Fatal fatal, std::shared_ptr<ContentHolds> holds,
                            JournalKeeps keeps);

}  // namespace catena::coordinator
