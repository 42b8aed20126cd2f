// What a chain coordinator writes of the items of its fan-outs, and of what its chain pins.
#include <caf/event_based_actor.hpp>
#include <variant>

#include "coordinator/chain_coordinator.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

/// What it pins becomes durable no later than this turn.
Result<void> ChainShell::write_package(const std::map<std::string, std::string>& programs) {
  // A package is content-addressed: storing it again for another chain changes nothing.
  batch_->hold(services_->holds->hold(package_->hash));  // whoever finds it there relies on it from now on
  auto package = std::make_shared<storage::Batch>();
  auto stored = storage::put_package(*services_->kv, *package, package_->hash, package_->manifest);
  if (!stored) return fail(std::move(stored).error());
  if (durability_ == storage::Durability::none && *stored) {
    // A chain that asks for more finds it there and relies on it.
    self_->send(services_->journal, actors::Commit{std::move(package), storage::Durability::async, 0});
  } else {
    batch_->append(*package);
  }
  if (programs.empty()) return {};
  auto records = new_records();
  for (const auto& [hash, content] : programs) records.keep(hash, content);
  batch_->append(*records.take());
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
  }
  if (answered.approved || !answered.error || !step_of(answered.visit).each) return;
  storage::ItemRecord item;
  item.text = to_json_text(*answered.error);
  const auto record = storage::encode(item);
  answered.items.for_each([&](ItemIndex index) { storage::put_item(*batch_, chain_, answered.visit, index, record); });
}

void ChainShell::write_accepted(const IndexSet& accepted, const actors::StepReport& report) {
  for (const auto& entry : report.ledger) {
    if (accepted.contains(entry.item)) storage::put_item(*batch_, chain_, report.visit, entry.item, entry.record);
  }
}

}  // namespace catena::coordinator
