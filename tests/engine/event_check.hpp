#pragma once
// What one event may do to a state of a chain. A part of invariants.hpp.
// The rules are written anew here, not called from the engine, wherever that is possible.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "engine/approvals.hpp"
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
  return is_under_way(state.status) && state.deadline_at != 0 && state.deadline_at <= at;
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
    if (prepared_.program->steps[event.visit.step].approve) {
      const auto* asked = asked_approval(before_, event.visit.step);
      if (asked == nullptr || !both(event.items, asked->open).empty() || !both(event.items, asked->denied).empty())
        return "granted what nobody approved";
    }
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
    if (event.terms.empty() && !event.priority && !event.deadline_at) return "an amendment of nothing";
    if (after_.deadline_at != event.deadline_at.value_or(before_.deadline_at)) return "an amendment of the deadline was lost, or changed it";
    if (before_.grants != after_.grants) return "an amendment changed what is out";
    for (StepIndex step = 0; step < after_.steps.size(); ++step) {
      const bool meant = !event.only || *event.only == step;
      if (!meant && before_.steps[step].terms != after_.steps[step].terms) return "an amendment changed another step";
      if (meant && event.terms.window && after_.steps[step].terms->window != event.terms.window) return "an amendment was lost";
    }
    return {};
  }
  [[nodiscard]] Broken operator()(const SignalReceived& event) const {
    if (!is_under_way(before_.status)) return "a chain that has ended had a signal";
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
  [[nodiscard]] Broken operator()(const ApprovalAsked& event) const {
    const auto& visit = before_.steps[event.visit.step];
    if (!prepared_.program->steps[event.visit.step].approve) return "approval was asked for that the definition does not want";
    if (visit.visit != event.visit.visit || visit.status != VisitStatus::running) return "approval was asked for in a visit that does not run";
    Broken broken;
    event.items.for_each([&](ItemIndex item) {
      if (item >= visit.width || (item < visit.next && !visit.again.contains(item))) broken = "approval was asked for an item that was not free";
    });
    return broken.empty() && !waiting_for_approval(after_, event.visit.step).contains(event.items) ? "what was asked for does not wait" : broken;
  }
  [[nodiscard]] Broken operator()(const ApprovalAnswered& event) const {
    const auto* asked = asked_approval(before_, event.visit.step);
    if (!is_under_way(before_.status)) return "an approval came to a chain that has ended";
    if (asked == nullptr || asked->visit != event.visit.visit || !asked->open.contains(event.items) || event.items.empty())
      return "an approval of what does not wait";
    if (knows_approval(before_, event.visit.step, event.key)) return "an approval came twice";
    const bool timed_out = event.by.empty();
    if (timed_out && (asked->until == 0 || asked->until > event.at)) return "the time to answer was over too early";
    if (timed_out && is_halted(prepared_, before_, event.visit.step)) return "the time to answer was over in a halted chain";
    const auto& visit = after_.steps[event.visit.step];
    Broken broken;
    event.items.for_each([&](ItemIndex item) {
      if (event.approved ? !visit.again.contains(item) : !visit.bad.test(item)) broken = "an approval did not do what it says";
    });
    if (!event.arguments.empty() && (visit.fan_out || !(visit.arguments == event.arguments))) return "arguments were edited that cannot be";
    return broken;
  }
  /// Of a chain that goes on: what runs or waits is as it was, and so is what the retry does not open.
  [[nodiscard]] Broken operator()(const RetryRequested& event) const {
    if (terminal(before_.status)) return {};
    if (before_.status != after_.status) return "a retry of a chain that goes on moved it";
    if (before_.cancelling) return "a chain was retried while it is being cancelled";
    if (before_.grants != after_.grants) return "a retry changed what is out";
    if (before_.for_grant != after_.for_grant || before_.package != after_.package || before_.deadline_at != after_.deadline_at)
      return "a retry of a chain that goes on changed what it runs for";
    for (StepIndex step = 0; step < before_.steps.size(); ++step) {
      const auto& was = before_.steps[step];
      const auto& is = after_.steps[step];
      const auto opened = std::ranges::find(event.steps, step, &Reopened::step);
      if (opened == event.steps.end()) {
        if (!(was == is)) return "a retry changed a step that it does not open";
        continue;
      }
      if (prepared_.program->steps[step].finally) return "a retry opened a final step of a chain that goes on";
      if (was.status == VisitStatus::running) {
        if (auto broken = items_opened(was, is, opened->items); !broken.empty()) return broken;
        continue;
      }
      for (const auto& [id, grant] : before_.grants) {
        if (grant.visit.step == step) return "a step was opened again while attempts of it are out";
      }
      for (const auto dependent : prepared_.dependents[step]) {
        if (before_.steps[dependent].status == VisitStatus::running) return "a step was opened again while one runs that depends on it";
      }
    }
    return {};
  }
  /// What had settled is as it was, unless the fork opens it again; nothing is out, and each item has its place.
  [[nodiscard]] Broken operator()(const ChainForked& event) const {
    if (before_.status == ChainStatus::quarantined) return "a chain was forked that was set aside";
    if (after_.status != ChainStatus::running || !after_.grants.empty() || !after_.parent.empty()) return "a fork does not run by itself";
    if (after_.cancelling || after_.paused_own || after_.paused_above) return "a fork has taken over what was asked of its source";
    if (after_.deadline_at != 0 && after_.deadline_at <= event.at) return "a fork has a deadline that has passed";
    if (after_.package != before_.package || after_.variables != before_.variables || after_.visits != before_.visits)
      return "a fork has taken over something else than its source had";
    for (StepIndex step = 0; step < before_.steps.size(); ++step) {
      const auto& was = before_.steps[step];
      const auto& is = after_.steps[step];
      if (!is.in_doubt.empty() || is.in_flight != 0) return "something of a fork is out, or in doubt";
      const bool opened = std::ranges::find(event.steps, step, &Reopened::step) != event.steps.end();
      if (opened && !event.back_to) return "a fork opened a step, and none was named";
      if (opened || event.cut.contains(step)) continue;
      if (was.visit != is.visit || was.status != is.status || was.ok != is.ok || was.bad != is.bad || !(was.response == is.response))
        return "a fork changed a step that it does not open";
    }
    return {};
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
  [[nodiscard]] static Broken items_opened(const VisitState& was, const VisitState& is, const IndexSet& items) {
    if (is.status != was.status || is.visit != was.visit || is.in_flight != was.in_flight || is.waiting != was.waiting ||
        is.in_doubt != was.in_doubt || is.tries != was.tries || is.next != was.next || is.deadline_at != was.deadline_at)
      return "a retry changed what runs or waits";
    for (ItemIndex item = 0; item < was.width; ++item) {
      const bool over = was.ok.test(item) || was.bad.test(item);
      if (items.contains(item)) {
        if (!over || is.ok.test(item) || is.bad.test(item) || !is.again.contains(item)) return "an item that a retry names is not free";
      } else if (was.ok.test(item) != is.ok.test(item) || was.bad.test(item) != is.bad.test(item) ||
                 was.again.contains(item) != is.again.contains(item)) {
        return "a retry opened an item that nobody named";
      }
    }
    return {};
  }

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

}  // namespace catena::engine::test
