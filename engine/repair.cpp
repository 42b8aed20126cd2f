#include "engine/repair.hpp"

#include <algorithm>
#include <optional>

#include "engine/items.hpp"
#include "engine/outstanding.hpp"

namespace catena::engine {
namespace {

class Planner {
 public:
  Planner(const PreparedProgram& prepared, const ChainState& state, const Retry& retry)
      : prepared_{prepared},
        state_{state},
        retry_{retry},
        goes_on_{!terminal(state.status)},
        all_{goes_on_ ? retry.only_failed || (retry.items.empty() && retry.anew.empty() && !retry.failures_stand) : retry.only_failed},
        steps_{std::min(prepared.program->steps.size(), state.steps.size())},
        plan_(steps_) {
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
    if (!goes_on_) run_final_steps_again();
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
    if (goes_on_ && visit.status == VisitStatus::running) return reopen_items(step);
    if (goes_on_ && entry) return;
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
      if (!goes_on_ || visit.entered_at != 0) some.items = items->second;
      some.items_stand = false;
      some.failures_stand = others_stand(step, items->second);
      return add(step, RepairReason::asked, std::move(some));
    }
    if (visit.status == VisitStatus::cancelled) return add(step, RepairReason::cancelled, on_with(step));
    if (to_be_retried(step)) return add(step, RepairReason::failed, on_with(step));
  }

  /// Of a step that runs: nothing depends on what its items came to. All that failed, or what is named.
  void reopen_items(StepIndex step) {
    const auto& visit = state_.steps[step];
    const auto& each = step_of(step).each;
    if (!visit.fan_out || (each && each->carries)) return;
    const auto named = retry_.items.find(step);
    const bool fails = state_.failing && verdict_of(step_of(step), visit) == Verdict::failed;
    Reopened some;
    some.step = step;
    if (named != retry_.items.end()) {
      some.items = named->second;
    } else if (all_ || (fails && !retry_.failures_stand)) {
      for (ItemIndex item = 0; item < visit.width; ++item) {
        if (visit.bad.test(item)) some.items.insert(item);
      }
    }
    if (some.items.empty()) return;
    plan_[step] = StepRepair{step, named == retry_.items.end() ? RepairReason::failed : RepairReason::asked, 0, std::move(some)};
  }

  /// A failure that ended the chain, or makes it end; with `only_failed` any, but of a sequence, which has gone on behind it.
  [[nodiscard]] bool to_be_retried(StepIndex index) const {
    const auto& visit = state_.steps[index];
    const auto& failed = step_of(index).failed;
    const bool ends = !goes_on_ || state_.failing;
    const bool handled = !ends || (!std::holds_alternative<lang::FinishFailed>(failed) && !std::holds_alternative<lang::FailAtEnd>(failed));
    const bool all = all_ && !is_entry(step_of(index));
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
                           verdict_of(step_of(step), visit) == Verdict::completed && !(all_ && visit.bad.count() > 0);
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
  bool goes_on_;       // it has not ended
  bool all_;           // failures that were tolerated or handled too
  std::size_t steps_;  // that both have: those which a new definition adds have not been entered
  std::vector<std::optional<StepRepair>> plan_;
  std::vector<StepIndex> open_;
  std::optional<StepIndex> jump_;  // of a sequence: where it goes on
};

/// Whether a plan can be carried out while the chain goes on.
class Obstacles {
 public:
  Obstacles(const PreparedProgram& prepared, const ChainState& state, const Retry& retry) : prepared_{prepared}, state_{state}, retry_{retry} {}

  [[nodiscard]] std::optional<Hindrance> of_chain() const {
    if (state_.cancelling) return Hindrance{Obstacle::cancelling};
    if (state_.failing && state_.failing->code == Code::chain_deadline) return Hindrance{Obstacle::past_deadline};
    for (const auto step : prepared_.final_steps) {
      const bool begins = state_.status == ChainStatus::running && gate_open(prepared_, state_, step);
      if (state_.steps[step].status != VisitStatus::blocked || begins) return Hindrance{Obstacle::final_steps, step};
    }
    if (state_.failing && prepared_.sequence) return Hindrance{Obstacle::failed_sequence};
    if (state_.failing && prepared_.program->on_failure == lang::FailurePolicy::cancel) return Hindrance{Obstacle::stops};
    if ((!retry_.package.empty() && retry_.package != state_.package) || (!retry_.definition.empty() && retry_.definition != state_.definition))
      return Hindrance{Obstacle::package};
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Hindrance> of_names() const {
    for (const auto step : retry_.anew) {
      if (step >= state_.steps.size() || retry_.items.contains(step)) continue;
      const auto& visit = state_.steps[step];
      if (is_entry(step_of(step))) return Hindrance{settled(visit.status) ? Obstacle::passed : Obstacle::runs, step};
      if (visit.status == VisitStatus::running) return Hindrance{Obstacle::runs, step};
    }
    for (const auto& [step, items] : retry_.items) {
      if (step >= state_.steps.size()) continue;
      const auto& visit = state_.steps[step];
      if (step_of(step).each && step_of(step).each->carries) return Hindrance{Obstacle::rounds, step};
      if (settled(visit.status) && is_entry(step_of(step))) return Hindrance{Obstacle::passed, step};
      if (visit.status == VisitStatus::blocked || (visit.status == VisitStatus::running && !visit.fan_out)) return Hindrance{Obstacle::runs, step};
      IndexSet open;
      items.for_each([&](ItemIndex item) {
        const bool over = item < visit.width && (visit.ok.test(item) || visit.bad.test(item));
        if (visit.fan_out && visit.status == VisitStatus::running && !over) open.insert(item);
      });
      if (!open.empty()) return Hindrance{Obstacle::items_run, step, 0, std::move(open)};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Hindrance> of_step(const StepRepair& repair) const {
    const auto step = repair.step;
    const auto& visit = state_.steps[step];
    const bool runs = visit.status == VisitStatus::running;
    for (const auto& [id, grant] : state_.grants) {
      if (grant.visit.step != step) continue;
      if (!runs || stopping(prepared_, state_, grant)) return Hindrance{Obstacle::out, step};
    }
    if (runs) return owes_shape(step_of(step), visit) ? std::optional{Hindrance{Obstacle::shaping, step}} : std::nullopt;
    const bool was_shaped = visit.status == VisitStatus::completed || repair.reopened.anew || visit.entered_at == 0;
    if (shapes_list(step_of(step)) && !was_shaped && verdict_of(step_of(step), visit) == Verdict::completed)
      return Hindrance{Obstacle::shaping, step};
    if (const auto behind = begun_behind(step)) return Hindrance{Obstacle::behind, step, *behind};
    return std::nullopt;
  }

 private:
  [[nodiscard]] const lang::Step& step_of(StepIndex step) const { return prepared_.program->steps[step]; }

  /// A step that has begun with what this one came to, and has not settled; or is being evaluated.
  [[nodiscard]] std::optional<StepIndex> begun_behind(StepIndex step) const {
    std::vector<bool> seen(state_.steps.size(), false);
    std::vector<StepIndex> open{step};
    while (!open.empty()) {
      const auto next = open.back();
      open.pop_back();
      for (const auto dependent : prepared_.dependents[next]) {
        if (dependent >= seen.size() || seen[dependent]) continue;
        seen[dependent] = true;
        open.push_back(dependent);
        if (step_of(dependent).finally) continue;  // looked at before
        const auto status = state_.steps[dependent].status;
        if (status == VisitStatus::running || (status == VisitStatus::blocked && evaluates(dependent))) return dependent;
      }
    }
    return std::nullopt;
  }

  /// Where the gate opened by what made the chain fail, nothing was evaluated.
  [[nodiscard]] bool evaluates(StepIndex step) const {
    if (!gate_open(prepared_, state_, step)) return false;
    const auto* gate = std::get_if<lang::AfterAll>(&step_of(step).gate);
    return gate == nullptr || !state_.failing || std::ranges::none_of(gate->deps, [&](StepIndex dep) {
             const auto status = state_.steps[dep].status;
             return status == VisitStatus::cancelled ||
                    (status == VisitStatus::failed && std::holds_alternative<lang::FinishFailed>(step_of(dep).failed));
           });
  }

  const PreparedProgram& prepared_;
  const ChainState& state_;
  const Retry& retry_;
};

}  // namespace

std::optional<Hindrance> obstacle_of(const PreparedProgram& prepared, const ChainState& state, const Retry& retry,
                                     const std::vector<StepRepair>& plan) {
  const Obstacles obstacles{prepared, state, retry};
  if (auto chain = obstacles.of_chain()) return chain;
  if (auto named = obstacles.of_names()) return named;
  if (plan.empty()) return Hindrance{Obstacle::nothing};
  for (const auto& repair : plan) {
    if (auto step = obstacles.of_step(repair)) return step;
  }
  return std::nullopt;
}

void add_dependents(const PreparedProgram& prepared, std::set<StepIndex>& steps) {
  std::vector<StepIndex> open{steps.begin(), steps.end()};
  while (!open.empty()) {
    const auto step = open.back();
    open.pop_back();
    for (const auto dependent : prepared.dependents[step]) {
      if (steps.insert(dependent).second) open.push_back(dependent);
    }
  }
}

std::vector<StepRepair> plan_repair(const PreparedProgram& prepared, const ChainState& state, const Retry& retry) {
  return Planner{prepared, state, retry}.plan();
}

std::uint32_t items_to_run(const VisitState& visit, const Reopened& reopened) {
  if (!visit.fan_out) return 1;
  if (visit.status == VisitStatus::running) return reopened.items.size();
  if (reopened.anew) return visit.width;
  if (reopened.items_stand) return 0;
  const bool failures_stand = reopened.failures_stand || (visit.status == VisitStatus::completed && !reopened.items.empty());
  std::uint32_t again = visit.width - visit.ok.count() - (failures_stand ? visit.bad.count() : 0);
  reopened.items.for_each([&](ItemIndex item) { again += visit.ok.test(item) || (failures_stand && visit.bad.test(item)) ? 1 : 0; });
  return again;
}

}  // namespace catena::engine
