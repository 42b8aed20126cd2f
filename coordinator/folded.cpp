#include "coordinator/folded.hpp"

#include <fmt/format.h>

#include <set>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/step_actor.hpp"

namespace catena::coordinator {
namespace {

/// The inputs that end a cancelled chain with nobody left who would report.
class FoldedChain {
 public:
  FoldedChain(const ChainId& chain, engine::Plan plan, engine::ChainState state, UnixMillis now, storage::Batch& batch)
      : chain_{chain}, plan_{std::move(plan)}, state_{std::move(state)}, now_{now}, batch_{batch} {}

  FoldedEnd cancel(const std::string& reason) && {
    take(engine::Cancel{reason});
    std::set<std::pair<WorkerId, Incarnation>> workers;
    const auto grants = state_.grants;  // reports close them
    std::vector<ChainId> children;
    for (const auto& [id, grant] : grants) {
      if (grant.worker == kChainsWorker) {
        take(children_stopped(id, grant, children));
      } else if (workers.emplace(grant.worker, grant.incarnation).second) {
        take(engine::WorkerLost{grant.worker, grant.incarnation, {}});
      }
    }
    return {std::move(state_), std::move(children)};
  }

 private:
  engine::Report children_stopped(GrantId id, const engine::Grant& grant, std::vector<ChainId>& children) const {
    engine::Report report{id, grant.incarnation, {}};
    grant.open.for_each([&](ItemIndex item) {
      children.emplace_back(task_key(chain_, plan_.program->steps[grant.visit.step], grant.visit, item));
      auto& stopped = report.items.emplace_back();
      stopped.item = item;
      stopped.outcome = engine::Outcome::cancelled;
      stopped.error = make_error(Code::cancelled, "the chain that started it was cancelled");
    });
    return report;
  }

  void take(decltype(engine::Input::what) what) {
    const auto events = engine::decide(plan_, state_, {std::move(what), now_}).events;
    if (events.empty()) return;
    storage::append_events(batch_, chain_, state_.seq, static_cast<std::uint32_t>(events.size()), engine::encode(events));
  }

  const ChainId& chain_;
  engine::Plan plan_;
  engine::ChainState state_;
  UnixMillis now_;
  storage::Batch& batch_;
};

}  // namespace

Result<FoldedEnd> cancel_folded(const ChainId& chain, Recovered recovered, const lang::Package& package, const std::string& reason,
                                UnixMillis now, storage::Batch& batch) {
  const auto program = package.programs.find(recovered.state.definition);
  if (program == package.programs.end() || program->second->steps.size() != recovered.state.steps.size()) {
    return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", chain.value));
  }
  auto end = FoldedChain{chain, engine::make_plan(program->second, chain), std::move(recovered.state), now, batch}.cancel(reason);
  const storage::IndexedAs old{recovered.summary.status, recovered.summary.started_at};
  const auto summary = summary_of(chain, program->second->name, end.state, durability_of(recovered.summary), priority_of(recovered.summary));
  if (auto put = storage::put_summary(batch, summary, old); !put) return fail(std::move(put).error());
  return end;
}

}  // namespace catena::coordinator
