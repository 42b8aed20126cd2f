#pragma once
// What attempts of a task have said of themselves, beside the ledger: the newest checkpoint, which the next attempt goes on from, and how far they
// are. Each task has one of either at most; a later one takes its place.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

struct TaskCheckpoint {
  std::string state;  // JSON, as the tool gave it
  Attempt attempt = 1;
  UnixMillis at = 0;
  friend bool operator==(const TaskCheckpoint&, const TaskCheckpoint&) = default;
};
struct TaskProgress {
  Attempt attempt = 1;  // counted anew by a person's retry: its grant tells it from those before
  GrantId grant = 0;
  std::int64_t done = -1;  // -1: it has not said; likewise `of`
  std::int64_t of = -1;
  std::string text = {};
  UnixMillis at = 0;
  std::map<std::string, std::int64_t> usage = {};   // of this attempt
  std::map<std::string, std::int64_t> before = {};  // of those before it
  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};
template <class V>
void fields(V& v, TaskCheckpoint& x) {
  v("state", x.state), v("attempt", x.attempt), v("at", x.at);
}
template <class V>
void fields(V& v, TaskProgress& x) {
  v("attempt", x.attempt), v("grant", x.grant), v("done", x.done), v("of", x.of), v("text", x.text), v("at", x.at), v("usage", x.usage),
      v("before", x.before);
}

void put_task_checkpoint(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, const TaskCheckpoint& checkpoint);
void remove_task_checkpoint(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item);
void put_task_progress(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, const TaskProgress& progress);
void remove_task_progress(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item);

/// Nothing where there is none. Errors: storage_corrupt where the record is damaged, and those of the store.
[[nodiscard]] Result<std::optional<TaskCheckpoint>> load_task_checkpoint(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] Result<std::optional<TaskProgress>> load_task_progress(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item);
/// All of a chain. `progress` null: the task has a checkpoint. What is damaged is passed over where it is a progress: nothing depends on one.
using NoteVisitor = std::function<void(VisitId visit, ItemIndex item, const TaskProgress* progress)>;
[[nodiscard]] Result<void> scan_task_notes(const Kv& kv, const ChainId& chain, const NoteVisitor& visitor);

}  // namespace catena::storage
