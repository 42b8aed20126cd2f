// What a chain coordinator writes beside its events: the package, the items of its fan-outs, what attempts say while they run.
#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <variant>

#include "coordinator/chain_coordinator.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

/// What it pins becomes durable no later than this turn.
Result<void> ChainShell::write_package(const std::map<std::string, std::string>& programs) {
  // A package is content-addressed: storing it again for another chain changes nothing.
  batch_->hold(services_->holds->hold(package_->hash));  // whoever finds it there relies on it from now on
  if (!services_->holds->was_found(package_->hash)) {
    auto package = std::make_shared<storage::Batch>();
    auto stored = storage::put_package(*services_->kv, *package, package_->hash, package_->manifest);
    if (!stored) return fail(std::move(stored).error());
    if (!*stored) {
      services_->holds->note_found(package_->hash);
    } else if (durability_ == storage::Durability::none) {
      // A chain that asks for more finds it there and relies on it.
      self_->send(services_->journal, actors::Commit{std::move(package), storage::Durability::async, 0});
    } else {
      batch_->append(*package);
    }
  }
  if (programs.empty()) return {};
  auto records = new_records();
  for (const auto& [hash, content] : programs) records.keep(hash, content);
  records.append_to(*batch_);
  return {};
}

/// What a person said of items stands in the ledger like any report.
void ChainShell::write_said(const engine::Input& input, const IndexSet& accepted) {
  VisitId visit;
  storage::ItemRecord item;
  const auto responds = [&](const engine::Payload& response) { item = {true, response.text, response.blob}; };
  if (const auto* given = std::get_if<engine::Substitute>(&input.what)) {
    visit = {given->step, state_.steps[given->step].visit};
    responds(given->response);
  } else if (const auto* resolve = std::get_if<engine::Resolve>(&input.what)) {
    visit = resolve->visit;
    if (const auto* response = std::get_if<engine::Payload>(&resolve->outcome)) responds(*response);
    if (const auto* error = std::get_if<Error>(&resolve->outcome)) item.text = to_json_text(*error);
  }
  if (!step_of(visit).each) return;
  const auto record = storage::encode(item);
  accepted.for_each([&](ItemIndex index) { storage::put_item(*batch_, chain_, visit, index, record); });
}

/// Of items that run again, so that none stands in a list for one that nobody waited for.
void ChainShell::remove_results(const engine::Retry& retry) {
  for (const auto& [step, items] : retry.items) {
    if (step >= state_.steps.size() || !step_of({step, 0}).each) continue;
    const VisitId visit{step, state_.steps[step].visit};
    items.for_each([&](ItemIndex item) { storage::remove_item(*batch_, chain_, visit, item); });
  }
}

/// Items that were rejected stand in the ledger with their error. Whoever has read the arguments of a step that are others now reads them again.
void ChainShell::take_answer(const engine::ApprovalAnswered& answered) {
  if (!answered.arguments.empty()) {
    if (const auto actor = steps_.find(answered.visit); actor != steps_.end()) {
      self_->send_exit(actor->second, caf::exit_reason::user_shutdown);
      steps_.erase(actor);
    }
    if (children_) children_->rounds.erase(answered.visit);
  }
  if (answered.approved || !answered.error || !step_of(answered.visit).each) return;
  storage::ItemRecord item;
  item.text = to_json_text(*answered.error);
  const auto record = storage::encode(item);
  answered.items.for_each([&](ItemIndex index) { storage::put_item(*batch_, chain_, answered.visit, index, record); });
}

/// What attempts say while they run is a commit of its own, which nobody waits for: the next attempt's grant comes behind it. How far they are may
/// be lost with the machine.
void ChainShell::on_notes(const actors::StepNotes& said) {
  stay_awake();
  auto batch = std::make_shared<storage::Batch>();
  const bool checkpoint = write_notes(*batch, said.grant, said.incarnation, said.notes);
  if (batch->empty()) return;
  const auto durability = checkpoint ? durability_ : std::max(durability_, storage::Durability::async);
  self_->send(services_->journal, actors::Commit{std::move(batch), durability, 0});
}

/// Of attempts that are the current ones of their tasks; all others change nothing. True: a checkpoint is among it.
bool ChainShell::write_notes(storage::Batch& batch, GrantId grant, Incarnation incarnation, const std::vector<actors::AttemptNote>& notes) {
  const auto known = state_.grants.find(grant);
  if (notes.empty() || known == state_.grants.end() || known->second.incarnation != incarnation) return false;
  bool checkpoint = false;
  for (const auto& note : notes) {
    if (!known->second.open.contains(note.item)) continue;
    const auto visit = known->second.visit;
    const auto& tries = state_.steps[visit.step].tries;
    const auto tried = tries.find(note.item);
    notes_.add(batch, chain_, visit, note, tried == tries.end() ? 1 : tried->second.all() + 1, grant, services_->clock->now());
    checkpoint |= !note.checkpoint.empty();
  }
  return checkpoint;
}

void ChainShell::write_accepted(const IndexSet& accepted, const actors::StepReport& report) {
  for (const auto& entry : report.ledger) {
    if (accepted.contains(entry.item)) storage::put_item(*batch_, chain_, report.visit, entry.item, entry.record);
  }
}

}  // namespace catena::coordinator
