// How a chain coordinator begins with what another chain had come to.
#include <caf/event_based_actor.hpp>
#include <utility>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/fork_base.hpp"
#include "storage/chain_removal.hpp"

namespace catena::coordinator {

bool ChainShell::begin_fork(const ForkStart& start) {
  const auto& wish = start.fork;
  begin_turn();
  const auto refuse = [&](Error error) {
    self_->send(services_->supervisor, actors::Refused{chain_, std::move(error)});
    return false;
  };
  const auto removals_before = services_->removals->of(*services_->kv);
  if (!removals_before) return refuse(removals_before.error());
  batch_->hold(services_->holds->hold(package_->hash));
  engine::Fork fork{.source = wish.source, .step = start.base->step};
  if (start.base->arguments) {
    auto records = new_records();
    fork.arguments = records.write(start.base->arguments->text);
    records.append_to(*batch_);
  }
  fork.directory = state_.directory;
  fork.removals_before = *removals_before;
  fork.labels = state_.labels;
  fork.trace = wish.trace;
  fork.by = wish.by;
  fork.reason = wish.reason;
  const auto before = state_.seq;
  // What is outstanding afterwards covers the effects.
  static_cast<void>(apply(at_now(std::move(fork)), nullptr));
  if (state_.seq == before) return refuse(make_error(Code::internal, "nothing can begin where the fork was to"));
  accepted_.push_back(services_->supervisor);
  storage::remove_unborn(*batch_, chain_);
  sort_effects(engine::outstanding(prepared_, state_));
  summary_due_ = true;
  end_turn();
  return true;
}

}  // namespace catena::coordinator
