#pragma once
// The one checker of the engine's rules. It is told every decision and answers with what is broken, or with nothing.
// The rules are written anew here, not called from the engine, wherever that is possible.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "engine/approvals.hpp"
#include "engine/engine.hpp"
#include "engine/items.hpp"
#include "engine/signals.hpp"
#include "tests/engine/event_check.hpp"

namespace catena::engine::test {

/// What holds in every state, whatever led to it.
inline Broken check_state(const PreparedProgram& prepared, const ChainState& state) {
  std::set<StepIndex> running;
  std::uint32_t unsettled = 0;
  for (StepIndex index = 0; index < state.steps.size(); ++index) {
    const auto& visit = state.steps[index];
    if (visit.status == VisitStatus::running) running.insert(index);
    unsettled += settled(visit.status) ? 0 : 1;
    std::uint32_t open = 0;
    IndexSet flying;
    for (const auto& [id, grant] : state.grants) {
      if (grant.visit != VisitId{index, visit.visit}) continue;
      open += grant.open.size();
      flying.insert(grant.open);
    }
    if (flying.size() != open) return "an item is in two open grants";
    if (visit.in_flight != open) return "in_flight is not the number of items in open grants";
    const auto& each = prepared.program->steps[index].each;
    const bool narrowed = visit.terms && visit.terms->window;  // by a person, while more were out
    if (each && each->window != 0 && open > each->window && !narrowed) return "more items in flight than the window holds";
    if (visit.next > visit.width) return "next is beyond the width";
    if (visit.status != VisitStatus::running) continue;
    // Every item is in exactly one place.
    std::vector<std::uint32_t> places(visit.width, 0);
    const auto count = [&](ItemIndex item) { item < visit.width ? ++places[item] : 0U; };
    for (ItemIndex item = 0; item < visit.width; ++item) {
      if (visit.ok.test(item)) ++places[item];
      if (visit.bad.test(item)) ++places[item];
      if (item >= visit.next) ++places[item];
    }
    visit.again.for_each(count);
    visit.in_doubt.for_each(count);
    flying.for_each(count);
    for (const auto& [due, item] : visit.waiting) count(item);
    waiting_for_approval(state, index).for_each(count);
    if (!std::ranges::all_of(places, [](auto n) { return n == 1; })) return "an item is nowhere or in two places at once";
  }
  const bool paused = state.paused_own || state.paused_above;
  if (paused != (state.status == ChainStatus::paused)) return "a chain is paused by nobody, or is not paused though it should be";
  if (paused != (state.paused_at != 0)) return "a chain is paused since never, or was";
  if (!state.paused_own && !(state.pause_reason.empty() && state.paused_by.empty())) return "a pause that is over has a reason";
  if (running != state.running) return "`running` is not what the steps say";
  if (unsettled != state.unsettled) return "`unsettled` is not what the steps say";
  for (const auto& [id, grant] : state.grants) {
    if (id == 0 || id > state.last_grant) return "a grant has a number that was not given out";
    if (grant.open.empty()) return "an open grant has no items";
  }
  if (terminal(state.status) && (!state.running.empty() || !state.grants.empty())) return "an ended chain still has something open";
  for (StepIndex index = 0; index < state.steps.size(); ++index) {
    if (!prepared.program->steps[index].finally) continue;
    const auto status = state.steps[index].status;
    if (status == VisitStatus::running && others_run(prepared, state)) return "a final step runs beside one that is not";
    if (terminal(state.status) && !state.cancelling_now && !settled(status)) return "a chain ended without its final steps";
  }
  return {};
}

/// The input speaks of something that is over: nothing may come of it.
inline bool is_stale(const PreparedProgram& prepared, const ChainState& before, const Input& input) {
  const bool reopens =
      std::holds_alternative<Retry>(input.what) || std::holds_alternative<Substitute>(input.what) || std::holds_alternative<Fork>(input.what);
  if (terminal(before.status) && !reopens) return true;
  if (before.status == ChainStatus::quarantined) return true;
  if (is_past_deadline(before, input.at) && !before.cancelling) return false;  // it says that this has passed
  if (const auto* report = std::get_if<Report>(&input.what)) {
    const auto grant = before.grants.find(report->grant);
    if (grant == before.grants.end() || grant->second.incarnation != report->incarnation) return true;
    return std::ranges::none_of(report->items, [&](const ItemReport& item) { return grant->second.open.contains(item.item); });
  }
  const auto halted = [&](StepIndex step) { return step >= before.steps.size() || is_halted(prepared, before, step); };
  if (const auto* evaluated = std::get_if<Evaluated>(&input.what)) {
    const auto step = evaluated->visit.step;
    return halted(step) || before.steps[step].visit + 1 != evaluated->visit.visit || !gate_is_open(prepared, before, step);
  }
  if (const auto* shaped = std::get_if<Shaped>(&input.what)) {
    return halted(shaped->visit.step) || !awaits_shape(prepared, before, shaped->visit);
  }
  if (const auto* approval = std::get_if<Approval>(&input.what)) {
    if (approval->step >= before.steps.size() || knows_approval(before, approval->step, approval->key)) return true;
    return both(approval->items, waiting_for_approval(before, approval->step)).empty();
  }
  if (const auto* offer = std::get_if<Offer>(&input.what)) {
    return halted(offer->visit.step) || before.steps[offer->visit.step].visit != offer->visit.visit ||
           before.steps[offer->visit.step].status != VisitStatus::running;
  }
  if (const auto* lost = std::get_if<WorkerLost>(&input.what)) {
    return std::ranges::none_of(before.grants,
                                [&](const auto& row) { return row.second.worker == lost->worker && row.second.incarnation == lost->incarnation; });
  }
  return false;
}

inline Broken check_codec(const ChainState& state) {
  const auto decoded = decode_state(encode(state));
  if (!decoded) return "a state does not decode: " + decoded.error().message;
  return *decoded == state ? "" : "decode_state(encode(state)) is another state";
}

inline Broken check_codec(const Event& event) {
  const auto decoded = decode_event(encode(event));
  if (!decoded) return "an event does not decode: " + decoded.error().message;
  return to_json(*decoded) == to_json(event) ? "" : "decode(encode(event)) is another event: " + to_json(event).dump();
}

inline Broken check_effects(const PreparedProgram& prepared, const ChainState& before, const Decision& decision, const ChainState& after) {
  const auto was = outstanding(prepared, before);
  const auto is = outstanding(prepared, after);
  if (!std::ranges::is_sorted(is) || std::ranges::adjacent_find(is) != is.end()) return "outstanding() is not a sorted set";
  Effects expected;
  std::ranges::set_difference(is, was, std::back_inserter(expected));
  return decision.effects == expected ? "" : "the effects are not outstanding(after) minus outstanding(before)";
}

/// What never began is free again as it was: nothing is in doubt, and nothing counts.
inline Broken check_returned(const PreparedProgram& prepared, const ChainState& before, const Report& report, const ChainState& after) {
  const auto grant = before.grants.find(report.grant);
  if (grant == before.grants.end() || grant->second.incarnation != report.incarnation) return {};
  const auto& id = grant->second.visit;
  const auto& was = before.steps[id.step];
  const auto& is = after.steps[id.step];
  if (was.visit != id.visit || was.status != VisitStatus::running || is.status != VisitStatus::running || awaits_shape(prepared, before, id))
    return {};
  IndexSet seen;
  for (const auto& row : report.items) {
    if (!grant->second.open.contains(row.item) || !seen.insert(row.item) || row.outcome != Outcome::returned) continue;
    if (!is.again.contains(row.item)) return "an item that was given back is not free";
    const auto tries = [&](const VisitState& visit) {
      const auto known = visit.tries.find(row.item);
      return known == visit.tries.end() ? Tries{} : known->second;
    };
    if (!(tries(was) == tries(is))) return "an attempt that never began counts";
  }
  return {};
}

/// Everything that must hold of one decision.
inline Broken check_decision(const PreparedProgram& prepared, const ChainState& before, const Input& input, const Decision& decision,
                             const ChainState& after) {
  ChainState folded = before;
  IndexSet settled_items;
  for (const auto& event : decision.events) {
    ChainState next = folded;
    evolve(next, event);
    const EventCheck check{prepared, folded, next};
    auto broken = std::visit(check, event);
    if (broken.empty() && !std::holds_alternative<ChainForked>(event)) broken = check.moves(std::holds_alternative<RetryRequested>(event));
    if (broken.empty()) broken = check_codec(event);
    if (!broken.empty()) return broken + " at " + to_json(event).dump();
    if (const auto* items = std::get_if<ItemsSettled>(&event)) {
      settled_items.insert(items->ok);
      settled_items.insert(items->bad);
    }
    if (const auto* items = std::get_if<ItemsGiven>(&event)) settled_items.insert(items->items);
    folded = std::move(next);
  }
  if (!(folded == after)) return "folding the events over the state before does not give the state after";
  const bool begins_nothing =
      std::holds_alternative<Start>(input.what) || std::holds_alternative<Signal>(input.what) || std::holds_alternative<Fork>(input.what);
  if (is_past_deadline(after, input.at) && !after.cancelling && !begins_nothing) return "a chain goes on behind its deadline";
  if (settled_items != decision.accepted) return "`accepted` is not what settled";
  if (is_stale(prepared, before, input) && !(decision.events.empty() && decision.effects.empty())) return "a stale input changed something";
  if (const auto* report = std::get_if<Report>(&input.what)) {
    if (auto broken = check_returned(prepared, before, *report, after); !broken.empty()) return broken;
  }
  auto broken = check_effects(prepared, before, decision, after);
  return broken.empty() ? check_state(prepared, after) : broken;
}

}  // namespace catena::engine::test
