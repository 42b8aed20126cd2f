#include "engine/outstanding.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "engine/approvals.hpp"
#include "engine/items.hpp"
#include "engine/signals.hpp"

namespace catena::engine {

namespace {

/// Over gates alone: where a sequence goes on is known when it goes. From the ends backwards, so that a step comes after all that wait for it.
std::vector<std::uint32_t> longest_ways(const std::vector<std::vector<StepIndex>>& dependents) {
  std::vector<std::uint32_t> ways(dependents.size(), 1);
  std::vector<std::vector<StepIndex>> waits_for(dependents.size());
  std::vector<std::size_t> open(dependents.size());
  std::vector<StepIndex> ready;
  for (StepIndex step = 0; step < dependents.size(); ++step) {
    open[step] = dependents[step].size();
    if (open[step] == 0) ready.push_back(step);
    for (const auto dependent : dependents[step]) waits_for[dependent].push_back(step);
  }
  while (!ready.empty()) {
    const auto step = ready.back();
    ready.pop_back();
    for (const auto before : waits_for[step]) {
      ways[before] = std::max(ways[before], ways[step] + 1);
      if (--open[before] == 0) ready.push_back(before);
    }
  }
  return ways;
}

}  // namespace

PreparedProgram prepare(std::shared_ptr<const lang::Program> program, const ChainId& chain) {
  PreparedProgram prepared;
  prepared.dependents = lang::dependents(*program);
  prepared.urgency = longest_ways(prepared.dependents);
  prepared.sequence = std::ranges::any_of(program->steps, lang::is_entry);
  prepared.composes =
      std::ranges::any_of(program->steps, [](const lang::Step& step) { return std::holds_alternative<lang::ProgramCall>(step.call); });
  for (StepIndex step = 0; step < program->steps.size(); ++step) {
    if (program->steps[step].finally) prepared.final_steps.push_back(step);
  }
  prepared.program = std::move(program);
  prepared.seed = hash64(chain.value);
  return prepared;
}

namespace {

bool is_final(const PreparedProgram& prepared, StepIndex step) { return prepared.program->steps[step].finally; }

/// Nothing of the other steps is under way, and none of them will begin.
bool others_over(const PreparedProgram& prepared, const ChainState& state) {
  if (state.entering || std::ranges::any_of(state.running, [&](StepIndex step) { return !is_final(prepared, step); })) return false;
  if (std::ranges::any_of(state.grants, [&](const auto& grant) { return !is_final(prepared, grant.second.visit.step); })) return false;
  if (winds_down(state)) return true;
  const auto left = std::ranges::count_if(prepared.final_steps, [&](StepIndex step) { return !settled(state.steps[step].status); });
  return state.unsettled == left;
}

bool final_gate_open(const PreparedProgram& prepared, const ChainState& state, StepIndex step) {
  const auto is_over = [&](StepIndex dep) { return !is_final(prepared, dep) || settled(state.steps[dep].status); };
  return state.steps[step].status == VisitStatus::blocked &&
         std::ranges::all_of(std::get<lang::AfterAll>(prepared.program->steps[step].gate).deps, is_over) && others_over(prepared, state);
}

}  // namespace

bool is_cut_off(const PreparedProgram& prepared, const ChainState& state, StepIndex step) {
  return is_final(prepared, step) ? state.cancelling_now : winds_down(state);
}

bool halted(const PreparedProgram& prepared, const ChainState& state, StepIndex step) {
  return state.status != ChainStatus::running || is_cut_off(prepared, state, step);
}

bool owes_final_steps(const lang::Program& program, const ChainState& state) {
  if (state.cancelling_now) return false;
  for (StepIndex step = 0; step < state.steps.size(); ++step) {
    if (program.steps[step].finally && !settled(state.steps[step].status)) return true;
  }
  return false;
}

bool gate_open(const PreparedProgram& prepared, const ChainState& state, StepIndex step) {
  if (is_final(prepared, step)) return final_gate_open(prepared, state, step);
  const auto& gate = prepared.program->steps[step].gate;
  const auto status = state.steps[step].status;
  if (std::holds_alternative<lang::OnEntry>(gate)) return state.entering == step && status != VisitStatus::running;
  return status == VisitStatus::blocked &&
         std::ranges::all_of(std::get<lang::AfterAll>(gate).deps, [&](StepIndex dep) { return settled(state.steps[dep].status); });
}

bool all_done(const PreparedProgram& prepared, const ChainState& state) {
  if (!state.running.empty() || state.entering || !state.grants.empty()) return false;
  if (state.unsettled == 0) return true;
  if (!prepared.sequence) return false;
  const auto& steps = prepared.program->steps;
  for (StepIndex step = 0; step < steps.size(); ++step) {
    if (std::holds_alternative<lang::AfterAll>(steps[step].gate) && !settled(state.steps[step].status)) return false;
  }
  return true;
}

bool owes_outputs(const PreparedProgram& prepared, const ChainState& state) {
  if (state.failing) {
    return prepared.program->answers_failure() && !state.cancelling && state.running.empty() && state.grants.empty() &&
           !owes_final_steps(*prepared.program, state);
  }
  return state.status == ChainStatus::running && !state.cancelling && all_done(prepared, state);
}

bool stopping(const PreparedProgram& prepared, const ChainState& state, const Grant& grant) {
  const bool final_step = is_final(prepared, grant.visit.step);
  if (final_step ? state.cancelling_now : state.cancelling) return true;
  const auto& visit = state.steps[grant.visit.step];
  if (visit.visit != grant.visit.visit || visit.status != VisitStatus::running) return true;
  if (owes_shape(prepared.program->steps[grant.visit.step], visit)) return true;
  const bool at_once = prepared.program->on_failure == lang::FailurePolicy::cancel;
  return at_once && ((state.failing && !final_step) || verdict_of(prepared.program->steps[grant.visit.step], visit) == Verdict::failed);
}

void step_effects(const PreparedProgram& prepared, const ChainState& state, StepIndex step, Effects& out) {
  if (halted(prepared, state, step)) return;
  const auto& visit = state.steps[step];
  if (gate_open(prepared, state, step)) out.emplace_back(Evaluate{{step, visit.visit + 1}});
  if (owes_shape(prepared.program->steps[step], visit)) out.emplace_back(Shape{{step, visit.visit}});
  if (grantable(prepared.program->steps[step], visit) > 0) out.emplace_back(Demand{{step, visit.visit}});
}

void grant_effects(const PreparedProgram& prepared, const ChainState& state, GrantId id, Effects& out) {
  const auto grant = state.grants.find(id);
  if (grant == state.grants.end() || terminal(state.status) || state.status == ChainStatus::quarantined) return;
  out.emplace_back(Run{id});
  if (stopping(prepared, state, grant->second)) out.emplace_back(Stop{id, state.cancelling_now});
}

void chain_effects(const PreparedProgram& prepared, const ChainState& state, Effects& out) {
  if (terminal(state.status) || state.status == ChainStatus::quarantined) {
    out.emplace_back(Announce{state.status});
    return;
  }
  UnixMillis due = awaited_deadline(state);
  for (const auto step : state.running) {
    if (halted(prepared, state, step)) continue;
    for (const auto earliest : {earliest_due(state.steps[step]), approval_due(prepared.program->steps[step], state, step)}) {
      if (earliest != 0 && (due == 0 || earliest < due)) due = earliest;
    }
  }
  for (const auto& [step, number] : signals_due(*prepared.program, state)) {
    if (!halted(prepared, state, step)) out.emplace_back(UseSignal{{step, state.steps[step].visit}, number});
  }
  if (due != 0) out.emplace_back(Wake{due});
  if (prepared.composes && state.held_children) out.emplace_back(HoldChildren{state.status == ChainStatus::paused});
  if (owes_outputs(prepared, state)) out.emplace_back(EvaluateOutputs{});
}

Effects outstanding(const PreparedProgram& prepared, const ChainState& state) {
  Effects effects;
  if (state.status == ChainStatus::pending) return effects;
  for (StepIndex step = 0; step < state.steps.size(); ++step) step_effects(prepared, state, step, effects);
  for (const auto& [id, grant] : state.grants) grant_effects(prepared, state, id, effects);
  chain_effects(prepared, state, effects);
  std::ranges::sort(effects);
  return effects;
}

}  // namespace catena::engine
