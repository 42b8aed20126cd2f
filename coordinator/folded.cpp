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
  FoldedChain(const ChainId& chain, engine::PreparedProgram prepared, engine::ChainState state, UnixMillis now, storage::Batch& batch)
      : chain_{chain}, prepared_{std::move(prepared)}, state_{std::move(state)}, now_{now}, batch_{batch} {}

  engine::ChainState end(const engine::Cancel& cancel) && {
    take(cancel);
    std::set<std::pair<WorkerId, Incarnation>> workers;
    const auto grants = state_.grants;  // reports close them
    for (const auto& [id, grant] : grants) {
      if (grant.worker == kChainsWorker) {
        take(children_stopped(id, grant));
      } else if (workers.emplace(grant.worker, grant.incarnation).second) {
        take(engine::WorkerLost{grant.worker, grant.incarnation, {}});
      }
    }
    return std::move(state_);
  }

 private:
  static engine::Report children_stopped(GrantId id, const engine::Grant& grant) {
    engine::Report report{id, grant.incarnation, {}};
    grant.open.for_each([&](ItemIndex item) {
      auto& stopped = report.items.emplace_back();
      stopped.item = item;
      stopped.outcome = engine::Outcome::cancelled;
      stopped.error = make_error(Code::cancelled, "the chain that started it was cancelled");
    });
    return report;
  }

  void take(decltype(engine::Input::what) what) {
    const auto events = engine::decide(prepared_, state_, {std::move(what), now_}).events;
    if (events.empty()) return;
    storage::append_events(batch_, chain_, state_.seq, static_cast<std::uint32_t>(events.size()), engine::encode(events));
  }

  const ChainId& chain_;
  engine::PreparedProgram prepared_;
  engine::ChainState state_;
  UnixMillis now_;
  storage::Batch& batch_;
};

}  // namespace

std::vector<ChainId> children_of(const ChainId& chain, const engine::ChainState& state, const lang::Program& program) {
  std::vector<ChainId> children;
  for (const auto& [id, grant] : state.grants) {
    if (grant.worker != kChainsWorker) continue;
    grant.open.for_each([&](ItemIndex item) { children.emplace_back(task_key(chain, program.steps[grant.visit.step], grant.visit, item)); });
  }
  return children;
}

Result<engine::ChainState> cancel_folded(const ChainId& chain, Recovered recovered, std::shared_ptr<const lang::Program> program,
                                         const engine::Cancel& cancel, UnixMillis now, storage::Batch& batch) {
  const storage::IndexedAs old{recovered.summary.status, recovered.summary.started_at, recovered.summary.name};
  const auto& name = program->name;
  auto end = FoldedChain{chain, engine::prepare(program, chain), std::move(recovered.state), now, batch}.end(cancel);
  const auto summary = summary_of(chain, name, end, durability_of(recovered.summary), priority_of(recovered.summary));
  if (auto put = storage::put_summary(batch, summary, old); !put) return fail(std::move(put).error());
  return end;
}

}  // namespace catena::coordinator
