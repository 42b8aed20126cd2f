// What a chain coordinator writes of the items of its fan-outs.
#include <variant>

#include "coordinator/chain_coordinator.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

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

void ChainShell::write_accepted(const IndexSet& accepted, const actors::StepReport& report) {
  for (const auto& entry : report.ledger) {
    if (accepted.contains(entry.item)) storage::put_item(*batch_, chain_, report.visit, entry.item, entry.record);
  }
}

}  // namespace catena::coordinator
