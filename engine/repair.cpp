#include "engine/repair.hpp"

#include <algorithm>
#include <optional>

#include "engine/items.hpp"

namespace catena::engine {
namespace {

bool is_entry(const lang::Step& step) { return std::holds_alternative<lang::OnEntry>(step.gate); }

class Planner {
 public:
  Planner(const PreparedProgram& prepared, const ChainState& state, const Retry& retry)
      : prepared_{prepared}, state_{state}, retry_{retry}, steps_{std::min(prepared.program->steps.size(), state.steps.size())}, plan_(steps_) {
    for (StepIndex step = 0; step < steps_ && !jump_; ++step) {
      if (is_entry(step_of(step)) && (retry.anew.contains(step) || retry.items.contains(step))) jump_ = step;
    }
  }

  std::vector<StepRepair> plan() && {
    for (StepIndex step = 0; step < steps_; ++step) begin_with(step);
    while (!open_.empty()) {
      const auto step = open_.back();
      open_.pop_back();
      for (const auto dependent : prepared_.dependents[step]) follow(step, dependent);
    }
    run_final_steps_again();
    std::vector<StepRepair> repairs;
    for (auto& repair : plan_) {
      if (repair) repairs.push_back(std::move(*repair));
    }
    return repairs;
  }

 private:
  [[nodiscard]] const lang::Step& step_of(StepIndex step) const { return prepared_.program->steps[step]; }

  void add(StepIndex step, RepairReason reason, Reopened reopened) {
    reopened.step = step;
    plan_[step] = StepRepair{step, reason, 0, std::move(reopened)};
    open_.push_back(step);
  }

  void begin_with(StepIndex step) {
    const auto& visit = state_.steps[step];
    const auto items = retry_.items.find(step);
    const bool entry = is_entry(step_of(step));
    if (jump_ && entry && *jump_ != step) return;
    if (retry_.anew.contains(step) && (settled(visit.status) || visit.former)) {
      Reopened anew;
      anew.anew = true;
      anew.enter = entry;
      return add(step, RepairReason::asked, std::move(anew));
    }
    if (!settled(visit.status)) return;
    if (retry_.compared.contains(step) && visit.entered_at != 0 && !entry) {
      Reopened compared;
      compared.anew = compared.keep = true;
      if (items != retry_.items.end()) compared.items = items->second;
      return add(step, RepairReason::asked, std::move(compared));
    }
    if (items != retry_.items.end()) {
      auto some = on_with(step);
      some.items = items->second;
      some.items_stand = false;
      some.failures_stand = others_stand(step, items->second);
      return add(step, RepairReason::asked, std::move(some));
    }
    if (visit.status == VisitStatus::cancelled) return add(step, RepairReason::cancelled, on_with(step));
    if (to_be_retried(step)) return add(step, RepairReason::failed, on_with(step));
  }

  /// A failure that ended the chain; with `only_failed` any, but of a sequence, which has gone on behind it.
  [[nodiscard]] bool to_be_retried(StepIndex index) const {
    const auto& visit = state_.steps[index];
    const auto& failed = step_of(index).failed;
    const bool handled = !std::holds_alternative<lang::FinishFailed>(failed) && !std::holds_alternative<lang::FailAtEnd>(failed);
    const bool all = retry_.only_failed && !is_entry(step_of(index));
    if (visit.status == VisitStatus::failed) return all || !handled;
    return all && visit.status == VisitStatus::completed && visit.bad.count() > 0;
  }

  /// Its visit goes on; one that was not entered is evaluated again.
  [[nodiscard]] Reopened on_with(StepIndex step) const {
    const auto& visit = state_.steps[step];
    const bool entered = visit.entered_at != 0;
    Reopened reopened;
    reopened.step = step;
    reopened.enter = is_entry(step_of(step)) && !entered;
    reopened.items_stand = entered && visit.status != VisitStatus::completed && shapes_list(step_of(step)) &&
                           verdict_of(step_of(step), visit) == Verdict::completed && !(retry_.only_failed && visit.bad.count() > 0);
    reopened.failures_stand = !reopened.items_stand && others_stand(step, {});
    return reopened;
  }

  /// The retry lets failures stand, and the step comes to something with them: they are not too many, and there is something to run.
  [[nodiscard]] bool others_stand(StepIndex step, const IndexSet& named) const {
    const auto& visit = state_.steps[step];
    if (!retry_.failures_stand || !visit.fan_out || visit.entered_at == 0 || visit.status == VisitStatus::completed) return false;
    if (!IndexSet::range(0, visit.width).contains(named)) return false;
    auto after = visit;
    named.for_each([&](ItemIndex item) {
      after.ok.reset(item);
      after.bad.reset(item);
    });
    return after.ok.count() + after.bad.count() < after.width && verdict_of(step_of(step), after) == Verdict::open;
  }

  /// What depends on a step that runs again may come out otherwise.
  void follow(StepIndex step, StepIndex dependent) {
    if (dependent >= steps_ || !settled(state_.steps[dependent].status)) return;
    auto& known = plan_[dependent];
    if (known && (known->reopened.anew || known->reason == RepairReason::behind)) return;
    auto reopened = on_with(dependent);
    if (state_.steps[dependent].entered_at != 0) {
      reopened = Reopened{};
      reopened.step = dependent;
      reopened.anew = reopened.keep = true;
      if (known) reopened.items = known->reopened.items;
    }
    if (known && known->reopened == reopened) return;
    add(dependent, RepairReason::behind, std::move(reopened));
    plan_[dependent]->behind = step;
  }

  /// They follow on what the others do this time.
  void run_final_steps_again() {
    const auto others_run = [&] {
      for (StepIndex step = 0; step < steps_; ++step) {
        if (!step_of(step).finally && (plan_[step] || !settled(state_.steps[step].status))) return true;
      }
      return steps_ < prepared_.program->steps.size();
    };
    if (prepared_.final_steps.empty() || !others_run()) return;
    for (const auto step : prepared_.final_steps) {
      if (step >= steps_ || !settled(state_.steps[step].status)) continue;
      Reopened anew;
      anew.step = step;
      anew.anew = true;
      plan_[step] = StepRepair{step, RepairReason::last, 0, std::move(anew)};
    }
  }

  const PreparedProgram& prepared_;
  const ChainState& state_;
  const Retry& retry_;
  std::size_t steps_;  // that both have: those which a new definition adds have not been entered
  std::vector<std::optional<StepRepair>> plan_;
  std::vector<StepIndex> open_;
  std::optional<StepIndex> jump_;  // of a sequence: where it goes on
};

}  // namespace

std::vector<StepRepair> plan_repair(const PreparedProgram& prepared, const ChainState& state, const Retry& retry) {
  return Planner{prepared, state, retry}.plan();
}

std::uint32_t items_to_run(const VisitState& visit, const Reopened& reopened) {
  if (!visit.fan_out) return 1;
  if (reopened.anew) return visit.width;
  if (reopened.items_stand) return 0;
  const bool failures_stand = reopened.failures_stand || (visit.status == VisitStatus::completed && !reopened.items.empty());
  std::uint32_t again = visit.width - visit.ok.count() - (failures_stand ? visit.bad.count() : 0);
  reopened.items.for_each([&](ItemIndex item) { again += visit.ok.test(item) || (failures_stand && visit.bad.test(item)) ? 1 : 0; });
  return again;
}

}  // namespace catena::engine
