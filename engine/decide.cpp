#include <algorithm>
#include <iterator>

#include "engine/decider.hpp"

namespace catena::engine {
namespace {

Effects minus(const Effects& all, const Effects& without) {
  if (without.empty()) return all;
  Effects rest;
  std::ranges::set_difference(all, without, std::back_inserter(rest));
  return rest;
}

Effects plus(const Effects& a, const Effects& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  Effects all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

}  // namespace

Decision decide(const PreparedProgram& prepared, ChainState& state, const Input& input) {
  if (state.status == ChainStatus::quarantined) return {};  // its journal stays as it is, late reports included
  Decider decider{prepared, state, input.at};
  // Whatever comes first at that time or later: from its deadline on a chain begins nothing but its final steps. A signal begins nothing, and who
  // sends it is told that it is kept. A fork has a deadline of its own.
  const bool begins_nothing =
      std::holds_alternative<Quarantine>(input.what) || std::holds_alternative<Signal>(input.what) || std::holds_alternative<Fork>(input.what);
  const auto deadline = awaited_deadline(state);
  if (deadline != 0 && deadline <= input.at && !begins_nothing) decider.end_at_deadline();
  std::visit(decider, input.what);
  return std::move(decider).finish();
}

Decision Decider::finish() && { return std::move(decision_); }

void Decider::emit(Event event) {
  const auto touched = touched_by(event);
  const auto before = effects_of(touched);
  evolve(state_, event);
  const auto after = effects_of(touched);
  if (before != after) {
    const auto born = minus(after, before);
    const auto gone = minus(before, after);
    // An effect that came and went within one input never existed; one that went and came back never left.
    const auto came_back = minus(born, minus(born, removed_));
    removed_ = plus(minus(removed_, born), minus(gone, decision_.effects));
    decision_.effects = plus(minus(decision_.effects, gone), minus(born, came_back));
  }
  decision_.events.push_back(std::move(event));
}

Decider::Touched Decider::touched_by(const Event& event) const {
  Touched touched;
  const auto add_grants_of = [&](const VisitId& visit) {
    for (const auto& [id, grant] : state_.grants) {
      if (grant.visit == visit) touched.grants.push_back(id);
    }
  };
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (requires { e.visit; }) touched.step = e.visit.step;
        if constexpr (requires { e.grant; }) touched.grants.push_back(e.grant);
        if constexpr (std::is_same_v<E, Jumped>) {
          touched.step = e.to;
          touched.left = state_.entering;  // after a retry of several steps it may stand at another
        }
        if constexpr (std::is_same_v<E, VisitSettled>) {
          touched.everything = e.fails_chain;
          add_grants_of(e.visit);
        }
        if constexpr (std::is_same_v<E, ItemsSettled>) {
          // Too many failures may stop what else the visit has out, and so does a list that is to be shaped.
          if (!e.bad.empty() || shapes_list(step_of(e.visit))) add_grants_of(e.visit);
        }
        if constexpr (std::is_same_v<E, ItemsGiven> || std::is_same_v<E, ApprovalAnswered>) add_grants_of(e.visit);
        touched.everything |= !requires { e.visit; }
        &&!std::is_same_v<E, Jumped> && !std::is_same_v<E, StateWritten>;
      },
      event);
  return touched;
}

Effects Decider::effects_of(const Touched& touched) const {
  if (touched.everything) return outstanding(prepared_, state_);
  Effects effects;
  if (state_.status == ChainStatus::pending) return effects;
  if (touched.left && *touched.left < state_.steps.size()) step_effects(prepared_, state_, *touched.left, effects);
  if (touched.step && *touched.step < state_.steps.size()) {
    step_effects(prepared_, state_, *touched.step, effects);
    for (const auto dependent : prepared_.dependents[*touched.step]) step_effects(prepared_, state_, dependent, effects);
  }
  for (const auto step : prepared_.final_steps) step_effects(prepared_, state_, step, effects);  // whatever ends may be the last of the others
  for (const auto grant : touched.grants) grant_effects(prepared_, state_, grant, effects);
  chain_effects(prepared_, state_, effects);
  std::ranges::sort(effects);
  effects.erase(std::unique(effects.begin(), effects.end()), effects.end());
  return effects;
}

}  // namespace catena::engine
