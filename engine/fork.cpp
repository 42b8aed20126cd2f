#include "engine/fork.hpp"

#include <algorithm>
#include <utility>

#include "base/overloads.hpp"

namespace catena::engine {
namespace {

/// What its attempts were about is free again: the fork has begun none of them.
void let_go(ChainState& state) {
  for (const auto& [id, grant] : state.grants) {
    if (grant.visit.step >= state.steps.size()) continue;
    auto& visit = state.steps[grant.visit.step];
    if (visit.visit == grant.visit.visit && visit.status == VisitStatus::running) visit.again.insert(grant.open);
  }
  state.grants.clear();
  for (auto& visit : state.steps) {
    visit.in_flight = 0;
    if (visit.status == VisitStatus::running) visit.again.insert(visit.in_doubt);
    visit.in_doubt.clear();
  }
}

void move_dues(ChainState& state, std::int64_t later_ms) {
  const auto later = [&](UnixMillis& time) {
    if (time != 0) time += later_ms;
  };
  later(state.deadline_at);
  for (const auto step : state.running) {
    auto& visit = state.steps[step];
    later(visit.entered_at);
    later(visit.deadline_at);
    std::set<std::pair<UnixMillis, ItemIndex>> waiting;
    for (const auto& [due, item] : visit.waiting) waiting.emplace(due + later_ms, item);
    visit.waiting = std::move(waiting);
  }
  if (state.approvals.get().asked.empty()) return;
  for (auto& asked : state.approvals.change().asked) {
    if (asked.open.empty()) continue;
    later(asked.since);
    later(asked.until);
  }
}

void cut_step(ChainState& state, StepIndex step, UnixMillis at) {
  if (step >= state.steps.size() || state.steps[step].status != VisitStatus::running) return;
  state.steps[step].status = VisitStatus::cancelled;
  state.steps[step].settled_at = at;
  state.running.erase(step);
  --state.unsettled;
}

}  // namespace

bool parts(const Event& last, const Event& next) {
  // Each of these is the first of its decision, but for warnings about what was evaluated, and for a step that is entered to have a person's
  // response.
  const auto* entered = std::get_if<VisitEntered>(&next);
  const bool begins = entered != nullptr ? !entered->arguments.empty()
                                         : std::visit([]<class E>(const E&) { return OneOf<E, ItemsExpanded, VisitSkipped, Granted>; }, next);
  return begins && !std::holds_alternative<Warned>(last);
}

void begin_fork(ChainState& state, const ChainForked& event) {
  let_go(state);
  move_dues(state, event.later_ms);
  const bool had_ended = terminal(state.status);
  state.status = ChainStatus::running;
  if (had_ended || event.back_to) state.failing.reset();
  state.cancelling = state.cancelling_now = false;
  state.cancel_words = {};
  state.paused_own = state.paused_above = state.held_children = false;
  state.pause_reason.clear();
  state.paused_by.clear();
  state.paused_at = 0;
  if (state.deadline_at <= event.at) state.deadline_at = 0;
  state.arguments = event.arguments;
  state.directory = event.directory;
  state.removals_before = event.removals_before;
  state.labels = event.labels;
  state.trace = KeptTrace{event.trace};
  state.trace_part = 0;
  state.parent = {};
  state.depth = 0;
  state.for_grant = 0;
  state.started_at = event.at;
  state.finished_at = 0;
  state.priority.reset();
  state.only_failed = false;
  if (!state.had_signals.get().keys.empty()) state.had_signals.change().keys.clear();
  if (!state.approvals.get().keys.empty()) state.approvals.change().keys.clear();
  state.response = {};
  state.error.reset();
  state.forked_from = Seldom<ForkOrigin>{ForkOrigin{event.source, state.seq.value - 1, event.back_to}};
  event.cut.for_each([&](std::uint32_t step) { cut_step(state, static_cast<StepIndex>(step), event.at); });
}

void ask_again(ChainState& state) {
  if (state.approvals.get().asked.empty()) return;
  for (auto& asked : state.approvals.change().asked) {
    if (asked.step >= state.steps.size()) continue;
    auto& visit = state.steps[asked.step];
    if (visit.visit != asked.visit || visit.status != VisitStatus::running) continue;
    for (const auto& [due, item] : visit.waiting) visit.again.insert(item);
    visit.waiting.clear();
    asked.denied.insert(visit.again);
    asked.denied.insert(IndexSet::range(visit.next, visit.width));
  }
}

std::optional<ForkObstacle> obstacle_of_fork(const ChainState& state, std::optional<StepIndex> step) {
  if (state.status == ChainStatus::pending) return ForkObstacle::pending;
  if (state.status == ChainStatus::quarantined) return ForkObstacle::quarantined;
  if (!step) {
    if (terminal(state.status)) return ForkObstacle::ended;
    if (state.cancelling) return ForkObstacle::cancelling;
    return state.failing ? std::optional{ForkObstacle::failing} : std::nullopt;
  }
  if (*step >= state.steps.size()) return ForkObstacle::not_begun;
  const auto& visit = state.steps[*step];
  const bool begun = settled(visit.status) || visit.status == VisitStatus::running || visit.former;
  return begun ? std::nullopt : std::optional{ForkObstacle::not_begun};
}

ForkPlan plan_fork(const PreparedProgram& prepared, const ChainState& state, StepIndex step) {
  ForkPlan plan;
  auto base = state;
  let_go(base);
  const auto& steps = prepared.program->steps;
  Retry retry;
  retry.anew.insert(step);
  add_dependents(prepared, retry.anew);
  const auto cut = [&](StepIndex running) {
    cut_step(base, running, base.last_at);
    plan.cut.insert(running);
  };
  const auto ran = base.running;
  for (const auto running : ran) {
    const bool leaves = is_entry(steps[running]) && is_entry(steps[step]);  // the sequence goes on elsewhere
    if (leaves || steps[running].finally || retry.anew.contains(running)) cut(running);
  }
  base.status = ChainStatus::failed;
  while (true) {
    plan.steps = plan_repair(prepared, base, retry);
    const auto before = plan.cut.size();
    for (const auto& repair : plan.steps) {
      for (const auto dependent : prepared.dependents[repair.step]) {
        if (base.running.contains(dependent)) cut(dependent);
      }
    }
    if (plan.cut.size() == before) return plan;
  }
}

}  // namespace catena::engine
