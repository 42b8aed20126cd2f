#pragma once
// The one checker of the engine's rules. It is told every decision and answers with what is broken, or with nothing.
// The rules are written anew here, not called from the engine, wherever that is possible.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "engine/engine.hpp"
#include "engine/items.hpp"
#include "engine/signals.hpp"

namespace catena::engine::test {

/// Empty: all is well.
using Broken = std::string;

/// Something of a step that is not final is under way.
inline bool others_run(const PreparedProgram& prepared, const ChainState& state) {
  const auto& steps = prepared.program->steps;
  for (StepIndex index = 0; index < state.steps.size(); ++index) {
    if (!steps[index].finally && state.steps[index].status == VisitStatus::running) return true;
  }
  return std::ranges::any_of(state.grants, [&](const auto& grant) { return !steps[grant.second.visit.step].finally; });
}

/// The step begins nothing more.
inline bool is_halted(const PreparedProgram& prepared, const ChainState& state, StepIndex index) {
  if (state.status != ChainStatus::running) return true;
  return prepared.program->steps[index].finally ? state.cancelling_now : state.failing || state.cancelling;
}

inline bool gate_is_open(const PreparedProgram& prepared, const ChainState& state, StepIndex index) {
  const auto& gate = prepared.program->steps[index].gate;
  const auto& visit = state.steps[index];
  if (prepared.program->steps[index].finally) {
    if (visit.status != VisitStatus::blocked || others_run(prepared, state)) return false;
    for (StepIndex other = 0; other < state.steps.size(); ++other) {
      const bool waits = prepared.program->steps[other].finally ? std::ranges::count(std::get<lang::AfterAll>(gate).deps, other) > 0
                                                                : !state.failing && !state.cancelling;
      if (waits && !settled(state.steps[other].status)) return false;
    }
    return true;
  }
  if (std::holds_alternative<lang::OnEntry>(gate)) return state.entering == index && visit.status != VisitStatus::running;
  for (const auto dep : std::get<lang::AfterAll>(gate).deps) {
    if (!settled(state.steps[dep].status)) return false;
  }
  return visit.status == VisitStatus::blocked;
}

/// transform_responses of a fan-out is due: nothing about its items may change any more.
inline bool awaits_shape(const PreparedProgram& prepared, const ChainState& state, const VisitId& id) {
  const auto& step = prepared.program->steps[id.step];
  const auto& visit = state.steps[id.step];
  if (!step.each || (!step.shape && !step.gather) || visit.visit != id.visit || visit.status != VisitStatus::running) return false;
  return verdict_of(step, visit) == Verdict::completed;
}

/// The chain has to have ended by then, or is to end at once.
inline bool is_past_deadline(const ChainState& state, UnixMillis at) {
  const bool goes_on = state.status == ChainStatus::running || state.status == ChainStatus::paused;
  return goes_on && state.deadline_at != 0 && state.deadline_at <= at;
}

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

/// What one event may do to a state.
class EventCheck {
 public:
  EventCheck(const PreparedProgram& prepared, const ChainState& before, const ChainState& after)
      : prepared_{prepared}, before_{before}, after_{after} {}

  [[nodiscard]] Broken operator()(const VisitEntered& event) const { return entered(event.visit, event.kept, event.at); }
  [[nodiscard]] Broken operator()(const ItemsExpanded& event) const { return entered(event.visit, event.kept, event.at); }
  [[nodiscard]] Broken operator()(const VisitSkipped& event) const { return entered(event.visit); }
  [[nodiscard]] Broken operator()(const VisitSettled& event) const {
    const bool unentered = before_.steps[event.visit.step].visit != event.visit.visit;
    if (unentered) return entered(event.visit);
    if (before_.steps[event.visit.step].status != VisitStatus::running) return "a visit settled that did not run";
    const auto& step = prepared_.program->steps[event.visit.step];
    const bool shaped = step.each && (step.shape || step.gather) && event.status == VisitStatus::completed;
    if (shaped && !awaits_shape(prepared_, before_, event.visit)) return "a list was shaped before it was complete";
    return !shaped || !step.shape || !event.response.empty() ? "" : "a fan-out completed without its transform_responses";
  }
  [[nodiscard]] Broken operator()(const Granted& event) const {
    const auto& visit = before_.steps[event.visit.step];
    if (is_halted(prepared_, before_, event.visit.step)) return "granted in a halted chain";
    if (is_too_late(event.visit, event.at)) return "granted behind the deadline of the chain";
    if (visit.visit != event.visit.visit || visit.status != VisitStatus::running) return "granted for a visit that does not run";
    if (event.grant <= before_.last_grant) return "a grant does not have a number above the last one";
    if (event.items.empty()) return "an empty grant";
    if (awaits_shape(prepared_, before_, event.visit)) return "granted an item of a list that is being shaped";
    if (visit.terms && visit.terms->window && *visit.terms->window != 0 && prepared_.program->steps[event.visit.step].each &&
        after_.steps[event.visit.step].in_flight > *visit.terms->window)
      return "granted more items than a person's window holds";
    Broken broken;
    const auto& each = prepared_.program->steps[event.visit.step].each;
    if (each && each->carries) {
      for (ItemIndex item = 0; item < event.items.ranges().front().first; ++item) {
        if (!visit.ok.test(item) && !visit.bad.test(item)) return "a round began before the one before it had settled";
      }
      if (event.items.size() != 1) return "two rounds that carry on were granted at once";
    }
    event.items.for_each([&](ItemIndex item) {
      if (item >= visit.width) broken = "granted an item that does not exist";
      if (visit.ok.test(item) || visit.bad.test(item)) broken = "granted a settled item";
      if (item < visit.next && !visit.again.contains(item)) broken = "granted an item that was not free";
    });
    return broken;
  }
  [[nodiscard]] Broken operator()(const ItemsSettled& event) const {
    const auto& visit = before_.steps[event.visit.step];
    if (visit.visit != event.visit.visit || visit.status != VisitStatus::running) return "items of a visit that does not run settled";
    if (awaits_shape(prepared_, before_, event.visit)) return "an item settled in a list that is being shaped";
    IndexSet both = event.ok;
    both.insert(event.bad);
    if (both.size() != event.ok.size() + event.bad.size()) return "an item settled both ways";
    Broken broken;
    both.for_each([&](ItemIndex item) {
      if (visit.ok.test(item) || visit.bad.test(item)) broken = "an item settled twice";
    });
    if (event.grant == 0 && !visit.in_doubt.contains(both)) return "an item settled without an attempt and was not in doubt";
    if (event.grant != 0 && (!before_.grants.contains(event.grant) || !before_.grants.at(event.grant).open.contains(both))) {
      return "items settled that the grant did not have open";
    }
    return broken;
  }
  [[nodiscard]] Broken operator()(const ItemsGiven& event) const {
    const auto& visit = before_.steps[event.visit.step];
    if (visit.visit != event.visit.visit || visit.status != VisitStatus::running) return "items of a visit that does not run were given";
    if (awaits_shape(prepared_, before_, event.visit)) return "an item was given in a list that is being shaped";
    for (const auto& [id, grant] : before_.grants) {
      if (grant.visit == event.visit && !both(grant.open, event.items).empty()) return "an item was given while it is on its way";
    }
    Broken broken;
    event.items.for_each([&](ItemIndex item) {
      if (item >= visit.width || visit.ok.test(item)) broken = "an item was given that there is not, or that has a response";
      if (!after_.steps[event.visit.step].ok.test(item)) broken = "an item that was given has no response";
    });
    return broken;
  }
  [[nodiscard]] Broken operator()(const AttemptsEnded& event) const {
    if (event.how != Ended::postponed) return {};
    const auto& was = before_.steps[event.visit.step].tries;
    const auto& is = after_.steps[event.visit.step].tries;
    Broken broken;
    event.items.for_each([&](ItemIndex item) {
      const auto known = was.find(item);
      const auto former = known == was.end() ? Tries{} : known->second;
      const auto now = is.find(item);
      if (now == is.end() || now->second.all() != former.all() + 1) broken = "a postponed attempt was not numbered";
      if (now != is.end() && now->second.failed != former.failed) broken = "a postponed attempt counts as a failed one";
    });
    return broken;
  }
  [[nodiscard]] Broken operator()(const PauseChanged& event) const {
    const auto of = [&](const ChainState& state) { return event.above ? state.paused_above : state.paused_own; };
    if (of(before_) == event.paused) return "a pause was applied twice";
    if (event.paused && before_.cancelling) return "a chain was paused that is being cancelled";
    return of(after_) == event.paused ? "" : "a pause was lost";
  }
  [[nodiscard]] Broken operator()(const Amended& event) const {
    if (event.terms.empty() && !event.priority) return "an amendment of nothing";
    if (before_.grants != after_.grants) return "an amendment changed what is out";
    for (StepIndex step = 0; step < after_.steps.size(); ++step) {
      const bool meant = !event.only || *event.only == step;
      if (!meant && before_.steps[step].terms != after_.steps[step].terms) return "an amendment changed another step";
      if (meant && event.terms.window && after_.steps[step].terms->window != event.terms.window) return "an amendment was lost";
    }
    return {};
  }
  [[nodiscard]] Broken operator()(const SignalReceived& event) const {
    if (before_.status != ChainStatus::running && before_.status != ChainStatus::paused) return "a chain that has ended had a signal";
    if (event.number != before_.had_signals.get().count + 1) return "a signal does not have the next number";
    if (knows_signal(before_, event.name, event.key)) return "a signal came twice";
    if (after_.had_signals.get().kept.size() != before_.had_signals.get().kept.size() + 1 ||
        !(after_.had_signals.get().kept.back().number == event.number))
      return "a signal that came is not kept";
    const auto of_name = std::ranges::count(after_.had_signals.get().kept, event.name, &KeptSignal::name);
    return static_cast<std::size_t>(of_name) <= kSignalsKept ? "" : "more signals are kept than may be";
  }
  /// Of the steps that wait for one name each takes the signal that is due to it by its turn.
  [[nodiscard]] Broken operator()(const SignalConsumed& event) const {
    const auto& visit = before_.steps[event.visit.step];
    const auto* awaited = lang::signal_of(prepared_.program->steps[event.visit.step]);
    if (awaited == nullptr || visit.visit != event.visit.visit || visit.status != VisitStatus::running)
      return "a signal was taken by a step that does not wait";
    if (is_halted(prepared_, before_, event.visit.step)) return "a signal was taken in a halted chain";
    std::size_t turn = 0;
    for (const auto step : before_.running) {
      const auto* other = lang::signal_of(prepared_.program->steps[step]);
      if (other == nullptr || other->name != awaited->name) continue;
      turn += std::pair{before_.steps[step].entered_at, step} < std::pair{visit.entered_at, event.visit.step} ? 1 : 0;
    }
    for (const auto& kept : before_.had_signals.get().kept) {
      if (kept.name != awaited->name) continue;
      if (turn-- != 0) continue;
      if (kept.number != event.number) return "a signal was taken out of its turn";
      return after_.had_signals.get().kept.size() + 1 == before_.had_signals.get().kept.size() ? "" : "a signal that was taken is kept";
    }
    return "a signal was taken that is not kept";
  }
  [[nodiscard]] Broken operator()(const ChainFailing& event) const {
    if (before_.failing) return "a chain fails for a second reason";
    if (event.error.code != Code::chain_deadline) return {};
    if (before_.cancelling) return "a chain that is being cancelled failed by its deadline";
    return is_past_deadline(before_, event.at) ? "" : "a chain failed by a deadline that had not passed";
  }
  template <class Other>
  [[nodiscard]] Broken operator()(const Other&) const {
    return {};
  }

  /// Rules for every event.
  [[nodiscard]] Broken moves(bool retry) const {
    for (StepIndex index = 0; index < before_.steps.size(); ++index) {
      const auto& was = before_.steps[index].terms;
      if (was && !after_.steps[index].terms) return "what a person amended was forgotten";
    }
    if (before_.status == ChainStatus::paused && after_.status == ChainStatus::paused && after_.last_grant != before_.last_grant)
      return "a paused chain granted something";
    if (after_.had_signals.get().kept.size() < before_.had_signals.get().kept.size() && after_.status != ChainStatus::running && !before_.cancelling)
      return "a signal was taken in a chain that is paused or over";
    if (before_.status != after_.status && !may_move(before_.status, after_.status)) return "the chain made an illegal move";
    const bool reopened = terminal(before_.status) && before_.status != after_.status;
    if (reopened && !retry) return "an ended chain was reopened by something other than a retry";
    for (StepIndex index = 0; index < before_.steps.size(); ++index) {
      const auto& from = before_.steps[index];
      const auto& to = after_.steps[index];
      if (to.visit == from.visit) {
        if (to.status != from.status && !may_move(from.status, to.status)) return "a visit made an illegal move";
      } else if (to.visit == from.visit + 1) {
        if (from.status == VisitStatus::running) return "a visit began while the former one ran";
      } else if (!(retry && to.visit + 1 == from.visit && to.status == VisitStatus::blocked)) {
        return "a visit number jumped";
      }
    }
    return {};
  }

 private:
  /// What stays is what the visit before came to.
  [[nodiscard]] Broken entered(const VisitId& id, const IndexSet& kept, UnixMillis at) const {
    if (is_too_late(id, at)) return "a step was entered behind the deadline of the chain";
    const auto& former = before_.steps[id.step].former;
    Broken broken;
    kept.for_each([&](ItemIndex item) {
      const bool had = former && (former->fan_out ? former->ok.test(item) : former->completed);
      if (!had) broken = "a result stays that there was not";
      if (!after_.steps[id.step].ok.test(item)) broken = "a result that stays is not there";
    });
    return broken.empty() ? entered(id) : broken;
  }
  [[nodiscard]] Broken entered(const VisitId& id) const {
    if (is_halted(prepared_, before_, id.step)) return "a step was entered in a halted chain";
    if (!gate_is_open(prepared_, before_, id.step)) return "a step was entered before its gate opened";
    return id.visit == before_.steps[id.step].visit + 1 ? "" : "a visit does not have the next number";
  }

  [[nodiscard]] bool is_too_late(const VisitId& id, UnixMillis at) const {
    return !prepared_.program->steps[id.step].finally && is_past_deadline(before_, at);
  }

  const PreparedProgram& prepared_;
  const ChainState& before_;
  const ChainState& after_;
};

/// The input speaks of something that is over: nothing may come of it.
inline bool is_stale(const PreparedProgram& prepared, const ChainState& before, const Input& input) {
  const bool reopens = std::holds_alternative<Retry>(input.what) || std::holds_alternative<Substitute>(input.what);
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
    if (broken.empty()) broken = check.moves(std::holds_alternative<RetryRequested>(event));
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
  const bool begins_nothing = std::holds_alternative<Start>(input.what) || std::holds_alternative<Signal>(input.what);
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
