// What a chain coordinator does with steps that only compute: it runs them itself, many in one turn, so that they cost neither a ticket nor a commit
// of their own.
#include <utility>

#include <caf/event_based_actor.hpp>

#include "actors/run_queue.hpp"
#include "actors/worker_offer.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "coordinator/computing.hpp"

namespace catena::coordinator {
namespace {

/// Of one turn: what others of this process wait for, and what a crash makes run again.
constexpr std::uint16_t kComputedInTurnMax = 64;
/// The next turn computes while the one before becomes durable. More of them would only wait.
constexpr std::size_t kTurnsUnderWayMax = 2;

}  // namespace

bool ChainShell::computes(const VisitId& visit) const {
  return computes_here(services_->computing.get(), *prepared_.program, state_, visit.step, *needs_[visit.step]);
}

void ChainShell::compute_in_turn(const VisitId& visit) {
  if (computed_ == kComputedInTurnMax) {
    computes_later_ = is_full_ = true;
    return;
  }
  const auto last = state_.last_grant;
  auto granted = apply(at_now(engine::Offer{visit, WorkerId{std::string{actors::kOwnWorkerName}}, kOwnTurn, 1, grants_after_}), nullptr);
  const auto id = state_.last_grant;
  std::erase_if(granted, [id](const engine::Effect& effect) {
    const auto* run = std::get_if<engine::Run>(&effect);
    return run != nullptr && run->grant == id;
  });
  sort_effects(granted);
  if (id == last) return;
  ++computed_;
  auto records = new_records();
  auto item = compute({*services_->computing, *services_->metrics, chain_, *prepared_.program, state_, visit.step, sources(), lead_}, records);
  actors::StepReport report;
  report.visit = visit;
  report.report = {id, kOwnTurn, {std::move(item)}};
  records.append_to(*batch_);
  decide(at_now(report.report), &report);
}

void ChainShell::go_on_computing() {
  if (held_.size() >= kTurnsUnderWayMax || !std::exchange(computes_later_, false)) return;
  actors::hand_over_next();  // what this turn has made ready so far, which would wait for all that is computed
  begin_turn();
  end_turn();
}

/// Behind what has come meanwhile. A turn that waits for a record to be durable is not full, and goes on then.
void ChainShell::go_on_soon() {
  if (!std::exchange(is_full_, false)) return;
  actors::hand_over_next();  // the journal, which would wait for the next turn
  if (held_.size() < kTurnsUnderWayMax)
    self_->send(self_, actors::Durable{0});  // names no commit; a handler of its own would take memory in each chain
}

}  // namespace catena::coordinator
