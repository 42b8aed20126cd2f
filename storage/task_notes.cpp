#include "storage/task_notes.hpp"

#include <fmt/format.h>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

template <class T>
Result<std::optional<T>> load_note(const Kv& kv, const std::string& key, RecordKind kind) {
  const auto payload = load_record(kv, key, kind);
  if (!payload) return fail(payload.error());
  if (!*payload) return std::optional<T>{};
  auto read = codec::from_bytes<T>(**payload);
  if (read) return std::optional{std::move(*read)};
  return fail(Code::storage_corrupt,
              fmt::format("the {} stored at {} cannot be read; restore the data directory from a backup", name(kind), keys::printable(key)));
}

}  // namespace

void put_task_checkpoint(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, const TaskCheckpoint& checkpoint) {
  put_record(batch, keys::task_checkpoint(chain, visit, item), RecordKind::task_checkpoint, codec::to_bytes(checkpoint));
}

void remove_task_checkpoint(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item) {
  batch.remove(keys::task_checkpoint(chain, visit, item));
}

void put_task_progress(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, const TaskProgress& progress) {
  put_record(batch, keys::task_progress(chain, visit, item), RecordKind::task_progress, codec::to_bytes(progress));
}

void remove_task_progress(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item) {
  batch.remove(keys::task_progress(chain, visit, item));
}

Result<std::optional<TaskCheckpoint>> load_task_checkpoint(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  return load_note<TaskCheckpoint>(kv, keys::task_checkpoint(chain, visit, item), RecordKind::task_checkpoint);
}

Result<std::optional<TaskProgress>> load_task_progress(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  return load_note<TaskProgress>(kv, keys::task_progress(chain, visit, item), RecordKind::task_progress);
}

Result<void> scan_task_notes(const Kv& kv, const ChainId& chain, const NoteVisitor& visitor) {
  const auto range = keys::task_notes(chain);
  return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto task = keys::task_of_notes(key);
    if (!task) return true;
    if (key == keys::task_checkpoint(chain, task->visit, task->item)) {
      visitor(task->visit, task->item, nullptr);
      return true;
    }
    const auto payload = open_record(RecordKind::task_progress, value, key);
    if (const auto progress = payload ? codec::from_bytes<TaskProgress>(*payload) : std::nullopt) visitor(task->visit, task->item, &*progress);
    return true;
  });
}

}  // namespace catena::storage
