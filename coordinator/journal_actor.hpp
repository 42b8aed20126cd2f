#pragma once
// The one writer. Everything that waits while a commit is being synced goes into the next one (group commit). A failed write ends
// the process through `fatal`: what is on disk is then unknown, and a restart finds out.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <functional>
#include <vector>

#include "actors/messages.hpp"

namespace catena::coordinator {

struct JournalState {
  storage::Batch logged;                                       // sync or async
  storage::Durability durability = storage::Durability::none;  // the strongest that it needs
  /// Apart: in one write with what is logged a commit would outlive those of its own chain before it, and leave a gap in its journal.
  storage::Batch unlogged;
  std::vector<std::pair<caf::actor, actors::CommitNumber>> waiting;
  bool flushing = false;  // a flush is on its way
  static inline const char* name = "journal";
};

using Fatal = std::function<void(const Error&)>;

caf::behavior journal_actor(caf::stateful_actor<JournalState>* self, storage::Kv* kv, Fatal fatal);

}  // namespace catena::coordinator
