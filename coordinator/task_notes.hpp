#pragma once
// What a chain coordinator knows of the notes of its tasks: which have a checkpoint that the next attempt goes on from, and how far they say they
// are. They are records beside the ledger, not events: nothing that the engine decides depends on one. Adds to batches; its owner writes them.
#include <map>
#include <memory>
#include <utility>

#include "actors/note_messages.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/event.hpp"
#include "engine/state.hpp"
#include "storage/kv.hpp"
#include "storage/task_notes.hpp"

namespace catena::coordinator {

class TaskNotes {
 public:
  /// Of a chain that goes on: those of its tasks that have no response.
  [[nodiscard]] Result<void> load(const storage::Kv& kv, const ChainId& chain, const engine::ChainState& state);

  /// Nothing has been said, or it is settled.
  [[nodiscard]] bool empty() const { return !noted_ || noted_->empty(); }
  /// What an attempt says, in place of what it and those before it said. Only of one that is the current one of its task.
  void add(storage::Batch& batch, const ChainId& chain, VisitId visit, const actors::AttemptNote& note, Attempt attempt, GrantId grant,
           UnixMillis at);
  /// Tasks that have a response go on from nowhere. Those that failed keep what they have, for a person may have them tried again.
  void follow(storage::Batch& batch, const ChainId& chain, const engine::Event& event);
  /// Of those items, the ones with a checkpoint.
  [[nodiscard]] IndexSet resumable(VisitId visit, const IndexSet& items) const;

 private:
  using Key = std::pair<VisitId, ItemIndex>;
  struct Noted {
    bool checkpoint = false;
    storage::TaskProgress progress = {};
  };
  std::map<Key, Noted>& all();
  void settle(storage::Batch& batch, const ChainId& chain, VisitId visit, const IndexSet& items);
  void forget(storage::Batch& batch, const ChainId& chain, const Key& key, const Noted& noted) const;

  std::unique_ptr<std::map<Key, Noted>> noted_;  // null: nothing was said
};

}  // namespace catena::coordinator
