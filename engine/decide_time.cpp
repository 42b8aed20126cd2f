#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/approvals.hpp"
#include "engine/decider.hpp"
#include "engine/signals.hpp"

namespace catena::engine {

/// As when a person cancels it, but it fails: of this, unless it was failing before.
void Decider::end_at_deadline() {
  const auto deadline = iso8601(state_.deadline_at);
  if (!state_.failing)
    emit(ChainFailing{make_error(Code::chain_deadline, fmt::format("the chain had not ended at its deadline, {}", deadline)), at_});
  cancel({fmt::format("its deadline, {}, has passed", deadline)});
}

void Decider::operator()(const TimerDue&) {
  const auto running = state_.running;  // settling changes it
  const auto signals = signals_due(*prepared_.program, state_);
  for (const auto index : running) {
    if (halted(prepared_, state_, index) || signals.contains(index)) continue;  // a signal that came in time counts
    const auto& visit = state_.steps[index];
    const VisitId id{index, visit.visit};
    const auto& step = prepared_.program->steps[index];
    if (visit.deadline_at != 0 && visit.deadline_at <= at_) {
      const auto* signal = lang::signal_of(step);
      const auto message = signal == nullptr ? fmt::format("it took longer than its deadline of {}", to_string(step.deadline))
                                             : fmt::format("no signal '{}' came within {}", signal->name, to_string(step.deadline));
      settle_visit(id, VisitStatus::failed, {}, step_error(step, make_error(Code::deadline_exceeded, message)));
      continue;
    }
    IndexSet due;
    for (const auto& [when, item] : visit.waiting) {
      if (when > at_) break;
      due.insert(item);
    }
    if (!due.empty()) emit(RetryReleased{id, std::move(due), at_});
    if (const auto until = approval_due(step, state_, index); until != 0 && until <= at_) end_approval(id);
  }
  wind_down();
}

void Decider::operator()(const WorkerLost& input) {
  std::vector<std::pair<GrantId, Grant>> lost;
  for (const auto& [id, grant] : state_.grants) {
    if (grant.worker != input.worker || grant.incarnation != input.incarnation) continue;
    if (!input.grants.empty() && std::ranges::find(input.grants, id) == input.grants.end()) continue;
    lost.emplace_back(id, grant);
  }
  for (const auto& [id, grant] : lost) {
    const bool once = step_of(grant.visit).effect == lang::EffectClass::at_most_once;
    emit(AttemptsEnded{id, grant.visit, grant.open, Ended::lost, once, std::nullopt, at_});
    settle_items(grant.visit);
  }
  wind_down();
}

}  // namespace catena::engine
