#include "coordinator/step_notes.hpp"

#include <map>
#include <utility>

#include "storage/task_notes.hpp"

namespace catena::coordinator {

Result<std::string> resume_point(const StepContext& context, const actors::RunGrant& run, ItemIndex item) {
  if (!run.resumes.contains(item)) return std::string{};
  auto checkpoint = storage::load_task_checkpoint(context.reads, context.chain, context.visit, item);
  if (!checkpoint) return fail(std::move(checkpoint).error());
  return *checkpoint ? std::move((*checkpoint)->state) : std::string{};
}

std::vector<actors::StepNotes> notes_of(const StepState& state, actors::AttemptNotes& said) {
  std::map<GrantId, actors::StepNotes> by_grant;
  for (auto& note : said.notes) {
    const auto order = state.orders.find(note.grant);
    if (order == state.orders.end() || !order->second.open.contains(note.item)) continue;
    auto& notes = by_grant[note.grant];
    notes.grant = note.grant;
    notes.incarnation = order->second.incarnation;
    notes.notes.push_back(std::move(note));
  }
  std::vector<actors::StepNotes> all;
  for (auto& [grant, notes] : by_grant) all.push_back(std::move(notes));
  return all;
}

void take_note(actors::AttemptResult& result, std::vector<actors::AttemptNote>& notes) {
  if (result.checkpoint.empty() && result.usage.empty()) return;
  actors::AttemptNote note;
  note.item = result.item;
  note.usage = std::move(result.usage);
  note.checkpoint = std::move(result.checkpoint);
  notes.push_back(std::move(note));
}

}  // namespace catena::coordinator
