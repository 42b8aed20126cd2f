#include "coordinator/approval_index.hpp"

#include <type_traits>
#include <variant>

#include "base/chain_labels.hpp"
#include "base/cut_text.hpp"
#include "base/overloads.hpp"
#include "engine/approvals.hpp"
#include "lang/document/json_schema.hpp"
#include "storage/approval_store.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kItemsNamed = 100;
constexpr std::size_t kArgumentBytesShown = 2048;
constexpr std::size_t kSchemaBytesShown = 8192;

std::string_view word_of_timeout(lang::OnApprovalTimeout then) {
  switch (then) {
    case lang::OnApprovalTimeout::fail: return "fail";
    case lang::OnApprovalTimeout::approve: return "approve";
    case lang::OnApprovalTimeout::reject: return "reject";
  }
  return "fail";
}

void list_step(storage::Batch& batch, StepIndex index, const ChainId& chain, const lang::Program& program, const engine::ChainState& state) {
  const auto* asked = engine::asked_approval(state, index);
  if (asked == nullptr || index >= program.steps.size()) return;
  const auto& step = program.steps[index];
  auto waiting = engine::waiting_for_approval(state, index);
  if (waiting.empty() || state.status == engine::ChainStatus::quarantined) return storage::remove_approval(batch, asked->since, chain, index);
  const auto& visit = state.steps[index];
  storage::WaitingApproval row{.chain = chain, .step = step.id, .index = index, .name = program.name, .namespace_ = namespace_of(state.labels)};
  row.since = asked->since;
  row.until = asked->until;
  if (step.approve) {
    row.who = step.approve->who;
    row.allow_edit = step.approve->allow_edit;
    if (row.until != 0) row.on_timeout = word_of_timeout(step.approve->on_timeout);
    if (step.approve->schema != nullptr && step.approve->schema->source().size() <= kSchemaBytesShown) row.schema = step.approve->schema->source();
  }
  row.fan_out = visit.fan_out;
  row.waiting = waiting.size();
  if (visit.fan_out) row.items = to_text(waiting.take(kItemsNamed));
  row.arguments = cut_text(visit.arguments.text, kArgumentBytesShown);
  row.arguments_bytes = visit.arguments.bytes;
  storage::put_approval(batch, row);
}

}  // namespace

void list_approvals(storage::Batch& batch, const engine::Event& event, const ChainId& chain, const lang::Program& program,
                    const engine::ChainState& state) {
  if (state.approvals.get().asked.empty()) return;
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (OneOf<E, engine::ApprovalAsked, engine::ApprovalAnswered, engine::ItemsGiven, engine::VisitSettled>) {
          list_step(batch, e.visit.step, chain, program, state);
        } else if constexpr (OneOf<E, engine::ChainQuarantined, engine::ChainForked>) {
          for (const auto step : state.running) list_step(batch, step, chain, program, state);
        }
      },
      event);
}

}  // namespace catena::coordinator
