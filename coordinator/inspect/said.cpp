#include "coordinator/inspect/said.hpp"

#include "storage/task_notes.hpp"

namespace catena::coordinator {

Result<std::optional<SaidOfTask>> said_of(const storage::Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  const auto checkpoint = storage::load_task_checkpoint(kv, chain, visit, item);
  if (!checkpoint) return fail(checkpoint.error());
  auto progress = storage::load_task_progress(kv, chain, visit, item);
  if (!progress) return fail(std::move(progress).error());
  if (!*checkpoint && !*progress) return std::optional<SaidOfTask>{};
  SaidOfTask said;
  if (*checkpoint) {
    said.attempt = (*checkpoint)->attempt;
    said.checkpoint_at = (*checkpoint)->at;
    said.checkpoint_bytes = (*checkpoint)->state.size();
  }
  if (*progress) {
    auto& row = **progress;
    said.attempt = row.attempt;
    said.done = row.done;
    said.of = row.of;
    said.text = std::move(row.text);
    said.said_at = row.at;
    said.usage = std::move(row.before);
    for (const auto& [name, amount] : row.usage) said.usage[name] += amount;
  }
  return std::optional{std::move(said)};
}

}  // namespace catena::coordinator
