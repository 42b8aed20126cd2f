#pragma once
// What may happen in a World, and what comes of it.
#include "engine/approvals.hpp"
#include "tests/engine/simulator_memory.hpp"
#include "tests/engine/simulator_people.hpp"
#include "tests/engine/world.hpp"

namespace catena::engine::test {

// ---- what may happen ---------------------------------------------------------------------------------------------------

inline unsigned World::answers(const VisitId& visit, ItemIndex item) const {
  const auto known = executions_.find({visit, item});
  return scenario_->answers(visit, item, known == executions_.end() ? 1 : known->second);
}

inline void World::add_finishes(std::size_t worker, std::vector<Action>& out) const {
  constexpr std::uint64_t kMostCombinations = 16;
  for (const auto& [grant, execution] : workers_[worker].executing) {
    Action action;
    action.kind = Action::finish;
    action.index = worker;
    action.grant = grant;
    std::uint64_t combinations = 1;
    execution.items.for_each([&](ItemIndex item) {
      if (combinations < kMostCombinations) combinations *= static_cast<unsigned>(std::popcount(answers(execution.visit, item)));
    });
    for (action.choice = 0; action.choice < combinations; ++action.choice) out.push_back(action);
    if (scenario_->piecemeal && execution.items.size() > 1) {
      action.partly = true;
      action.choice = 0;
      out.push_back(action);
    }
  }
}

inline void World::add_options(std::vector<Action>& out) const {
  const auto add = [&](Action::Kind kind, std::size_t index = 0) {
    out.emplace_back();
    out.back().kind = kind;
    out.back().index = index;
  };
  const bool going = is_under_way(state_.status);
  if (budget_.crashes > 0) add(Action::crash);
  if (budget_.restarts > 0) add(Action::restart);
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    if (budget_.losses > 0 && !workers_[worker].seen.empty()) add(Action::lose, worker);
  }
  for (std::size_t report = 0; report < transit_.size(); ++report) {
    if (budget_.duplicates > 0) add(Action::deliver_twice, report);
  }
  if (budget_.cancels > 0 && going && !state_.cancelling) add(Action::cancel);
  if (budget_.kills > 0 && going && !state_.cancelling_now) add(Action::cancel_now);
  if (budget_.pauses > 0 && going && !state_.paused_own) add(Action::pause);
  if (state_.paused_own) add(Action::unpause);
  if (budget_.holds > 0 && going && !state_.paused_above) add(Action::hold);
  if (state_.paused_above) add(Action::let_go);
  for (std::size_t wish = 0; budget_.amends > 0 && going && wish < scenario_->amends.size(); ++wish) add(Action::amend, wish);
  for (const auto signal : to_send_) {
    if (going) add(Action::signal, signal);
  }
  for (const auto signal : acked_signals_) {
    if (going && budget_.duplicates > 0) add(Action::signal_twice, signal);
  }
  for (const auto approval : to_answer_) {
    const auto& given = scenario_->approvals[approval];
    if (going && !both(given.items, waiting_for_approval(state_, given.step)).empty()) add(Action::approval, approval);
  }
  for (const auto approval : acked_approvals_) {
    if (going && budget_.duplicates > 0) add(Action::approval_twice, approval);
  }
  const bool ended_badly = state_.status == ChainStatus::failed || state_.status == ChainStatus::cancelled;
  for (std::size_t wish = 0; budget_.retries > 0 && ended_badly && wish < scenario_->wishes.size(); ++wish) add(Action::retry, wish);
  for (std::size_t wish = 0; budget_.repairs > 0 && going && wish < scenario_->wishes.size(); ++wish) add(Action::repair, wish);
  for (StepIndex step = 0; budget_.gifts > 0 && (going || ended_badly) && step < state_.steps.size(); ++step) {
    constexpr ItemIndex kMostItems = 2;
    const auto& visit = state_.steps[step];
    for (ItemIndex item = 0; item < (visit.fan_out ? std::min(kMostItems, visit.width) : 1); ++item) {
      add(Action::give);
      out.back().visit = {step, visit.visit};
      out.back().item = item;
    }
  }
  for (std::size_t worker = 0; budget_.returns > 0 && worker < workers_.size(); ++worker) {
    for (const auto& [grant, execution] : workers_[worker].executing) {
      add(Action::give_back, worker);
      out.back().grant = grant;
      if (execution.items.size() == 1) continue;
      add(Action::give_back, worker);
      out.back().grant = grant;
      out.back().partly = true;
    }
  }
  if (budget_.resolves == 0) return;
  for (const auto step : state_.running) {
    state_.steps[step].in_doubt.for_each([&](ItemIndex item) {
      for (std::size_t outcome = 0; outcome < 3; ++outcome) {
        add(Action::resolve, outcome);
        out.back().visit = {step, state_.steps[step].visit};
        out.back().item = item;
      }
    });
  }
}

inline std::vector<Action> World::actions() const {
  std::vector<Action> result;
  if (durable_.seq != state_.seq) result.emplace_back();
  for (const auto& effect : owed_) {
    result.emplace_back();
    result.back().kind = Action::perform;
    result.back().effect = effect;
  }
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) add_finishes(worker, result);
  for (std::size_t report = 0; report < transit_.size(); ++report) {
    result.emplace_back();
    result.back().kind = Action::deliver;
    result.back().index = report;
  }
  for (std::size_t dead = 0; dead < dead_.size(); ++dead) {
    result.emplace_back();
    result.back().kind = Action::notice_loss;
    result.back().index = dead;
  }
  add_options(result);
  return result;
}

inline bool World::at_rest() const {
  if (durable_.seq != state_.seq || !owed_.empty() || !transit_.empty()) return false;
  const bool children_know = !scenario_->prepared.composes || children_held_ == (state_.status == ChainStatus::paused);
  if (!terminal(state_.status) && !children_know) return false;
  if (terminal(state_.status)) return announced_ == state_.status;
  if (state_.status == ChainStatus::quarantined) return true;
  return std::ranges::any_of(state_.running, [&](StepIndex step) {
    return !state_.steps[step].in_doubt.empty() || !waiting_for_approval(state_, step).empty() ||
           lang::signal_of(scenario_->prepared.program->steps[step]) != nullptr;
  });
}

// ---- what happens ------------------------------------------------------------------------------------------------------

inline Broken World::begin() {
  Start start;
  if (scenario_->deadline) start.deadline_at = kBegin + scenario_->deadline->count();
  return feed(std::move(start));
}

inline World::World(const Scenario& scenario, const std::vector<Event>& shared, const Fork& fork)
    : scenario_{&scenario}, budget_{scenario.budget}, workers_(scenario.workers) {
  std::set<std::string> came;
  for (const auto& event : shared) {
    evolve(state_, event);
    journal_ = std::make_shared<const Journal>(Journal{event, journal_});
    if (const auto* received = std::get_if<SignalReceived>(&event)) came.insert(received->key);
    if (const auto* answered = std::get_if<ApprovalAnswered>(&event)) came.insert(answered->key);
  }
  for (std::size_t signal = 0; signal < scenario.signals.size(); ++signal) {
    if (!came.contains(scenario.signals[signal].key)) to_send_.insert(signal);
  }
  for (std::size_t approval = 0; approval < scenario.approvals.size(); ++approval) {
    if (!came.contains(scenario.approvals[approval].key)) to_answer_.insert(approval);
  }
  for (auto& worker : workers_) worker.incarnation = ++incarnations_;
  now_ = state_.last_at + 100'000;  // much has fallen due there meanwhile
  broken_ = feed(fork);
  held_.clear();
  owed_.clear();
  for (const auto& effect : outstanding(scenario.prepared, state_)) held_.insert(effect);
  make_durable();
}

inline Broken World::feed(decltype(Input::what) what) {
  const auto before = state_;
  const Input input{std::move(what), now_};
  const auto decision = decide(scenario_->prepared, state_, input);
  for (const auto& event : decision.events) journal_ = std::make_shared<const Journal>(Journal{event, journal_});
  held_.insert(decision.effects.begin(), decision.effects.end());
  if (!crashable()) make_durable();
  return check_decision(scenario_->prepared, before, input, decision, state_);
}

inline void World::make_durable() {
  durable_ = state_;
  durable_journal_ = journal_;
  owed_.insert(held_.begin(), held_.end());
  // The last word to the children holds.
  owed_.erase(HoldChildren{state_.status != ChainStatus::paused});
  held_.clear();
  unacked_.clear();
  unacked_repairs_ = 0;
  acked_signals_.merge(unacked_signals_);
  acked_approvals_.merge(unacked_approvals_);
  unacked_approvals_.clear();
  unacked_signals_.clear();
  std::erase_if(owed_, [&](const Effect& effect) {
    if (std::holds_alternative<Announce>(effect) && effect == Effect{Announce{state_.status}}) announced_ = state_.status;
    const bool bygone = std::holds_alternative<Wake>(effect) && !std::ranges::binary_search(outstanding(scenario_->prepared, state_), effect);
    return bygone || std::holds_alternative<Announce>(effect);
  });
}

/// The coordinator starts anew from what is durable.
inline void World::recover() {
  journal_ = durable_journal_;
  state_ = ChainState{};
  for (const auto& event : journal()) evolve(state_, event);
  if (!(state_ == durable_)) broken_ = "folding the durable journal does not give the state it was written from";
  held_.clear();
  owed_.clear();
  transit_.insert(transit_.end(), unacked_.begin(), unacked_.end());
  to_send_.merge(unacked_signals_);  // who has no answer sends again
  unacked_signals_.clear();
  to_answer_.merge(unacked_approvals_);
  unacked_approvals_.clear();
  budget_.repairs += std::exchange(unacked_repairs_, 0);
  dead_.clear();
  for (const auto& [id, grant] : state_.grants) {
    if (workers_[index_of(grant.worker)].incarnation != grant.incarnation) dead_.emplace(grant.worker, grant.incarnation);
  }
  for (const auto& effect : outstanding(scenario_->prepared, state_)) held_.insert(effect);
  make_durable();
  if (state_.status == ChainStatus::pending) broken_ = begin();
}

/// The worker starts anew. What it ran may have been done: those reports come late, from an incarnation that is over.
inline void World::lose(Worker& worker) {
  const auto name = name_of(static_cast<std::size_t>(&worker - workers_.data()));
  for (const auto& [grant, execution] : worker.executing) {
    transit_.push_back(report_of(grant, worker.incarnation, execution.visit, execution.items, 0));
  }
  dead_.emplace(name, worker.incarnation);
  worker = Worker{++incarnations_, {}, {}};
}

inline Broken World::evaluate(VisitId visit) {
  Evaluated input{visit, Skip{}, {}};
  switch (scenario_->finds(visit)) {
    case Found::skip: break;
    case Found::begin: input.outcome = Begin{inline_payload("{}"), scenario_->same(visit)}; break;
    case Found::expand: input.outcome = Expand{scenario_->width(visit), inline_payload("{}"), same_items(visit)}; break;
    case Found::error: input.outcome = make_error(Code::reference_unresolved, "no such key", {"a.tool", 3, 5}); break;
  }
  return feed(input);
}

/// As whoever evaluates compares them: a result may stay where there is one.
inline IndexSet World::same_items(VisitId visit) const {
  IndexSet same;
  const auto& former = state_.steps[visit.step].former;
  if (!former || !former->fan_out || !scenario_->same(visit)) return same;
  for (ItemIndex item = 0; item < std::min(former->width, scenario_->width(visit)); ++item) {
    if (former->ok.test(item)) same.insert(item);
  }
  return same;
}

/// The list that is shaped is the same each time, whatever happened in between.
inline Broken World::shape(VisitId visit) {
  const auto& now = state_.steps[visit.step];
  if (now.visit == visit.visit) {
    const std::pair list{now.ok, now.bad};
    if (lists_.emplace(visit, list).first->second != list) return "a list changed after it was shaped";
  }
  Shaped input{visit, inline_payload("{}"), {}, {}};
  if (!scenario_->shapes(visit, ++shapings_[visit])) input.outcome = make_error(Code::expression_value, "no such member");
  return feed(input);
}

/// A worker runs a grant once, however often it is told; only a grant that is durable may reach it.
inline Broken World::run(GrantId id) {
  const auto known = state_.grants.find(id);
  if (known == state_.grants.end()) return {};
  const auto& grant = known->second;
  auto& worker = workers_[index_of(grant.worker)];
  if (worker.incarnation != grant.incarnation || !worker.seen.insert(id).second) return {};
  if (!durable_.grants.contains(id)) return "a grant was run before it was durable";
  worker.executing[id] = {grant.visit, grant.open};
  std::map<ItemIndex, unsigned> granted;
  for (auto link = durable_journal_; link; link = link->before) {
    const auto* event = std::get_if<Granted>(&link->event);
    if (event != nullptr && event->visit == grant.visit) event->items.for_each([&](ItemIndex item) { ++granted[item]; });
  }
  Broken broken;
  grant.open.for_each([&](ItemIndex item) {
    if (++executions_[{grant.visit, item}] > granted[item]) broken = "an item ran more often than it was granted";
  });
  return broken;
}

inline Broken World::stop(GrantId id) {
  const auto known = state_.grants.find(id);
  if (known == state_.grants.end()) return {};
  const auto& grant = known->second;
  auto& worker = workers_[index_of(grant.worker)];
  if (worker.incarnation != grant.incarnation) return {};
  const bool fresh = worker.seen.insert(id).second;
  if (!fresh && !worker.executing.contains(id)) return {};  // its report is under way
  Report report{id, grant.incarnation, {}};
  const auto& items = fresh ? grant.open : worker.executing.at(id).items;
  items.for_each([&](ItemIndex item) {
    report.items.emplace_back();
    report.items.back().item = item;
    report.items.back().outcome = Outcome::cancelled;
  });
  worker.executing.erase(id);
  transit_.push_back(std::move(report));
  return {};
}

inline Broken World::perform(const Effect& effect) {
  owed_.erase(effect);
  if (const auto* step = std::get_if<Evaluate>(&effect)) return evaluate(step->visit);
  if (const auto* step = std::get_if<Shape>(&effect)) return shape(step->visit);
  if (const auto* grant = std::get_if<Run>(&effect)) return run(grant->grant);
  if (const auto* grant = std::get_if<Stop>(&effect)) return stop(grant->grant);
  if (const auto* wake = std::get_if<Wake>(&effect)) {
    now_ = std::max(now_, wake->due);
    return feed(TimerDue{});
  }
  if (const auto* demand = std::get_if<Demand>(&effect)) {
    // The worker with the least to do.
    const auto idlest = std::ranges::min_element(workers_, {}, [](const Worker& worker) { return worker.executing.size(); });
    const auto index = static_cast<std::size_t>(idlest - workers_.begin());
    auto broken = feed(Offer{demand->visit, name_of(index), idlest->incarnation, scenario_->offer});
    if (std::ranges::binary_search(outstanding(scenario_->prepared, state_), effect)) owed_.insert(effect);
    return broken;
  }
  if (const auto* use = std::get_if<UseSignal>(&effect)) {
    SignalUsed input{use->visit, use->number, inline_payload("1")};
    if (!scenario_->uses(use->visit)) input.outcome = make_error(Code::expression_value, "no such member");
    return feed(input);
  }
  if (const auto* hold = std::get_if<HoldChildren>(&effect)) {
    children_held_ = hold->held;
    return {};
  }
  OutputsEvaluated input{inline_payload("{}")};
  if (scenario_->outputs_fail) input.outcome = make_error(Code::response_missing, "no such response");
  return feed(input);
}

inline Report World::report_of(GrantId grant, Incarnation incarnation, const VisitId& visit, const IndexSet& items, std::uint64_t choice) const {
  Report report{grant, incarnation, {}};
  items.for_each([&](ItemIndex item) {
    auto possible = answers(visit, item);
    const auto count = static_cast<unsigned>(std::popcount(possible));
    for (auto skip = choice % count; skip > 0; --skip) possible &= possible - 1;
    choice /= count;
    const auto answer = possible & (~possible + 1);
    auto& row = report.items.emplace_back();
    row.item = item;
    row.outcome = answer == kOk ? Outcome::ok : Outcome::failed;
    if (answer == kOk) row.response = inline_payload("1");
    if (answer != kOk) row.error = make_error(answer == kFatal ? Code::tool_output_invalid : Code::tool_temporary, "it went wrong");
    if (answer != kOk) row.error.retryable = answer == kFailed;
    if (answer == kPostponed) {
      row.error = make_error(Code::postponed, "not yet");
      row.error.details = Json{{"retry_after_ms", 5}};
    }
  });
  return report;
}

inline void World::finish(const Action& action) {
  auto& worker = workers_[action.index];
  auto& execution = worker.executing.at(action.grant);
  auto items = action.partly ? IndexSet::one(execution.items.front()) : execution.items;
  transit_.push_back(report_of(action.grant, worker.incarnation, execution.visit, items, action.choice));
  execution.items.erase(items);
  if (execution.items.empty()) worker.executing.erase(action.grant);
}

/// What has not begun was never executed.
inline void World::give_back(const Action& action) {
  --budget_.returns;
  auto& worker = workers_[action.index];
  auto& execution = worker.executing.at(action.grant);
  auto items = execution.items;
  if (action.partly) items.erase(items.front());
  Report report{action.grant, worker.incarnation, {}};
  items.for_each([&](ItemIndex item) {
    --executions_.at({execution.visit, item});
    auto& row = report.items.emplace_back();
    row.item = item;
    row.outcome = Outcome::returned;
    row.error = make_error(Code::given_back, "it had not begun");
  });
  execution.items.erase(items);
  if (execution.items.empty()) worker.executing.erase(action.grant);
  transit_.push_back(std::move(report));
}

inline Broken World::deliver(std::size_t index, bool keep) {
  const auto report = transit_[index];
  if (!keep) transit_.erase(transit_.begin() + static_cast<std::ptrdiff_t>(index));
  if (keep) --budget_.duplicates;
  if (crashable()) unacked_.push_back(report);
  return feed(report);
}

/// Those of visits whose items a person's retry has opened again.
inline void World::forget_lists() {
  for (const auto& event : journal()) {
    const auto* retry = std::get_if<RetryRequested>(&event);
    for (const auto& reopened : retry == nullptr ? std::vector<Reopened>{} : retry->steps) {
      if (!reopened.items_stand) std::erase_if(lists_, [&](const auto& row) { return row.first.step == reopened.step; });
    }
  }
}

inline Broken World::control(const Action& action) {
  switch (action.kind) {
    case Action::cancel: --budget_.cancels; return feed(Cancel{"enough"});
    case Action::cancel_now: --budget_.kills; return feed(Cancel{"enough of that", true});
    case Action::pause: --budget_.pauses; return feed(Pause{"a person", "ann", false});
    case Action::unpause: return feed(Unpause{});
    case Action::hold: --budget_.holds; return feed(Pause{.above = true});
    case Action::let_go: return feed(Unpause{.above = true});
    case Action::amend: --budget_.amends; return feed(scenario_->amends[action.index]);
    case Action::signal: return send_signal(action.index);
    case Action::approval: return send_approval(action.index);
    case Action::approval_twice: --budget_.duplicates; return feed(scenario_->approvals[action.index]);
    case Action::signal_twice: --budget_.duplicates; return feed(scenario_->signals[action.index]);
    case Action::retry: {
      --budget_.retries;
      announced_.reset();
      auto wish = scenario_->wish ? scenario_->wish(action.choice, state_) : scenario_->wishes[action.index];
      if (budget_.retries % 2 != 0) wish.package = "later";
      auto broken = feed(std::move(wish));
      forget_lists();
      return broken;
    }
    case Action::repair: {
      --budget_.repairs;
      const auto before = state_.seq;
      auto broken = feed(scenario_->wish ? scenario_->wish(action.choice, state_) : scenario_->wishes[action.index]);
      if (state_.seq != before) ++unacked_repairs_;
      forget_lists();
      return broken;
    }
    case Action::give: {
      --budget_.gifts;
      const auto before = state_.seq;
      const auto announced = std::exchange(announced_, std::nullopt);
      auto broken = feed(Substitute{action.visit.step, IndexSet::one(action.item), inline_payload("5"), {}});
      if (state_.seq == before) announced_ = announced;  // it came too late, or too early
      forget_lists();
      return broken;
    }
    default: break;
  }
  --budget_.resolves;
  Resolve input{action.visit, IndexSet::one(action.item), std::monostate{}};
  if (action.index == 0) input.outcome = inline_payload("1");
  if (action.index == 1) input.outcome = make_error(Code::tool_failed, "it did not happen");
  return feed(input);
}

inline void World::act(const Action& action) {
  switch (action.kind) {
    case Action::sync: make_durable(); break;
    case Action::perform: broken_ = perform(action.effect); break;
    case Action::finish: finish(action); break;
    case Action::give_back: give_back(action); break;
    case Action::deliver: broken_ = deliver(action.index, false); break;
    case Action::deliver_twice: broken_ = deliver(action.index, true); break;
    case Action::notice_loss: {
      const auto dead = *std::next(dead_.begin(), static_cast<std::ptrdiff_t>(action.index));
      dead_.erase(dead);
      broken_ = feed(WorkerLost{dead.first, dead.second, {}});
      break;
    }
    case Action::lose:
      --budget_.losses;
      lose(workers_[action.index]);
      break;
    case Action::crash:
      --budget_.crashes;
      for (auto& worker : workers_) lose(worker);
      recover();
      break;
    case Action::restart:
      --budget_.restarts;
      recover();
      break;
    default: broken_ = control(action);
  }
}

}  // namespace catena::engine::test
