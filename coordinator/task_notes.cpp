#include "coordinator/task_notes.hpp"

#include <limits>
#include <variant>

#include "base/overloads.hpp"

namespace catena::coordinator {
namespace {

void add_usage(std::map<std::string, std::int64_t>& sum, const std::map<std::string, std::int64_t>& more) {
  for (const auto& [name, amount] : more) {
    auto& total = sum[name];
    total = amount > std::numeric_limits<std::int64_t>::max() - total ? std::numeric_limits<std::int64_t>::max() : total + amount;
  }
}

bool has_response(const engine::ChainState& state, VisitId visit, ItemIndex item) {
  if (visit.step >= state.steps.size() || state.steps[visit.step].visit != visit.visit) return true;  // an earlier visit, which nobody goes on with
  const auto& step = state.steps[visit.step];
  return step.status == engine::VisitStatus::completed || (item < step.width && step.ok.test(item));
}

}  // namespace

std::map<TaskNotes::Key, TaskNotes::Noted>& TaskNotes::all() {
  if (!noted_) noted_ = std::make_unique<std::map<Key, Noted>>();
  return *noted_;
}

Result<void> TaskNotes::load(const storage::Kv& kv, const ChainId& chain, const engine::ChainState& state) {
  return storage::scan_task_notes(kv, chain, [&](VisitId visit, ItemIndex item, const storage::TaskProgress* progress) {
    if (has_response(state, visit, item)) return;
    auto& noted = all()[{visit, item}];
    if (progress == nullptr) {
      noted.checkpoint = true;
    } else {
      noted.progress = *progress;
    }
  });
}

void TaskNotes::add(storage::Batch& batch, const ChainId& chain, VisitId visit, const actors::AttemptNote& note, Attempt attempt, GrantId grant,
                    UnixMillis at) {
  auto& noted = all()[{visit, note.item}];
  if (!note.checkpoint.empty()) {
    storage::put_task_checkpoint(batch, chain, visit, note.item, {note.checkpoint, attempt, at});
    noted.checkpoint = true;
  }
  auto& progress = noted.progress;
  const auto former = progress;
  if (progress.attempt != attempt || progress.grant != grant) {  // what that one has used is not said again
    add_usage(progress.before, progress.usage);
    progress = {.attempt = attempt, .grant = grant, .before = std::move(progress.before)};
  }
  if (note.done >= 0 || note.of >= 0 || !note.text.empty()) {
    progress.done = note.done;
    progress.of = note.of;
    progress.text = note.text;
  }
  progress.usage = note.usage;
  if (progress == former && former.at != 0) return;
  progress.at = at;
  storage::put_task_progress(batch, chain, visit, note.item, progress);
}

void TaskNotes::follow(storage::Batch& batch, const ChainId& chain, const engine::Event& event) {
  if (!noted_) return;
  if (const auto* settled = std::get_if<engine::ItemsSettled>(&event)) settle(batch, chain, settled->visit, settled->ok);
  if (const auto* given = std::get_if<engine::ItemsGiven>(&event)) settle(batch, chain, given->visit, given->items);
  const auto* over = std::get_if<engine::VisitSettled>(&event);
  if (over == nullptr || over->status != engine::VisitStatus::completed) return;
  std::erase_if(*noted_, [&](const auto& entry) {
    if (entry.first.first != over->visit) return false;
    forget(batch, chain, entry.first, entry.second);
    return true;
  });
}

void TaskNotes::settle(storage::Batch& batch, const ChainId& chain, VisitId visit, const IndexSet& items) {
  items.for_each([&](ItemIndex item) {
    const auto noted = noted_->find({visit, item});
    if (noted == noted_->end()) return;
    forget(batch, chain, noted->first, noted->second);
    noted_->erase(noted);
  });
}

/// What it has used stays for people to look at.
void TaskNotes::forget(storage::Batch& batch, const ChainId& chain, const Key& key, const Noted& noted) const {
  if (noted.checkpoint) storage::remove_task_checkpoint(batch, chain, key.first, key.second);
  const bool used = !noted.progress.usage.empty() || !noted.progress.before.empty();
  if (!used) storage::remove_task_progress(batch, chain, key.first, key.second);
}

IndexSet TaskNotes::resumable(VisitId visit, const IndexSet& items) const {
  IndexSet found;
  if (!noted_) return found;
  for (auto at = noted_->lower_bound({visit, 0}); at != noted_->end() && at->first.first == visit; ++at) {
    if (at->second.checkpoint && items.contains(at->first.second)) found.insert(at->first.second);
  }
  return found;
}

}  // namespace catena::coordinator
