#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "engine/approvals.hpp"
#include "engine/engine.hpp"
#include "engine/fork.hpp"
#include "engine/signals.hpp"

namespace catena::engine {
namespace {

/// Applies one event. Total: what does not fit the state is passed over, so that no journal can crash a reader.
class Evolver {
 public:
  explicit Evolver(ChainState& state) : state_{state} {}

  void operator()(const ChainStarted& event) {
    if (state_.status != ChainStatus::pending || event.steps > limits::kStepsMax || !move(ChainStatus::running)) return;
    state_.package = event.package;
    state_.definition = event.definition;
    state_.steps.assign(event.steps, {});
    state_.unsettled = event.steps;
    state_.arguments = event.arguments;
    state_.context = event.context;
    state_.directory = event.directory;
    state_.removals_before = event.removals_before;
    state_.labels = event.labels;
    state_.trace = KeptTrace{event.trace};
    state_.parent = event.parent;
    state_.depth = event.depth;
    state_.for_grant = event.for_grant;
    state_.entering = event.entry;
    state_.started_at = event.at;
    state_.deadline_at = event.deadline_at;
  }
  void operator()(const VisitEntered& event) { enter(event, false, 1); }
  void operator()(const ItemsExpanded& event) { enter(event, true, event.width); }
  void operator()(const VisitSkipped& event) {
    auto* visit = begin(event.visit);
    if (visit == nullptr) return;
    visit->status = VisitStatus::skipped;
    visit->settled_at = event.at;
    --state_.unsettled;
  }
  void operator()(const Warned&) {}

  void operator()(const Granted& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running) return;
    if (event.grant <= state_.last_grant || event.items.empty() || !IndexSet::range(0, visit->width).contains(event.items)) return;
    state_.last_grant = event.grant;
    visit->again.erase(event.items);
    visit->next = std::max(visit->next, event.items.ranges().back().last);
    visit->in_flight += event.items.size();
    state_.grants[event.grant] = Grant{event.visit, event.worker, event.incarnation, event.items, event.at};
  }

  void operator()(const AttemptsEnded& event) {
    if (!close(event.grant, event.visit, event.items)) return;
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running) return;
    event.items.for_each([&](ItemIndex item) { count(*visit, item, event.how); });
    (event.in_doubt ? visit->in_doubt : visit->again).insert(event.items);
  }
  void operator()(const RetryArmed& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running || event.after.size() != event.items.size()) return;
    auto after = event.after.begin();
    event.items.for_each([&](ItemIndex item) {
      const auto due = event.at + *after++;
      if (visit->again.erase(item)) visit->waiting.emplace(due, item);
    });
  }
  void operator()(const RetryReleased& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr) return;
    std::erase_if(visit->waiting, [&](const auto& due) { return event.items.contains(due.second) && visit->again.insert(due.second); });
  }
  void operator()(const DoubtCleared& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr) return;
    if (!visit->in_doubt.contains(event.items)) return;
    visit->in_doubt.erase(event.items);
    visit->again.insert(event.items);
  }

  void operator()(const ItemsGiven& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running || event.items.empty()) return;
    if (!IndexSet::range(0, visit->width).contains(event.items) || on_its_way(event.visit, event.items)) return;
    const auto end = event.items.ranges().back().last;
    if (end > visit->next) visit->again.insert(IndexSet::range(std::exchange(visit->next, end), end));
    visit->again.erase(event.items);
    visit->in_doubt.erase(event.items);
    std::erase_if(visit->waiting, [&](const auto& due) { return event.items.contains(due.second); });
    if (auto* asked = asked_of(event.visit)) {
      asked->open.erase(event.items);
      asked->denied.erase(event.items);
    }
    event.items.for_each([&](ItemIndex item) {
      visit->bad.reset(item);
      visit->ok.set(item);
      visit->tries.erase(item);
    });
  }

  void operator()(const ItemsSettled& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running) return;
    IndexSet both = event.ok;
    both.insert(event.bad);
    if (both.size() != event.ok.size() + event.bad.size()) return;
    if (event.grant != 0 ? !close(event.grant, event.visit, both) : !visit->in_doubt.contains(both)) return;
    event.ok.for_each([&](ItemIndex item) { visit->ok.set(item); });
    event.bad.for_each([&](ItemIndex item) { visit->bad.set(item); });
    visit->in_doubt.erase(both);
    if (!visit->tries.empty()) both.for_each([&](ItemIndex item) { visit->tries.erase(item); });
    if (event.error && !visit->first_error) {
      visit->first_error = event.error;
      visit->first_error_attempt = event.attempt;
    }
  }

  void operator()(const VisitSettled& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr && event.status == VisitStatus::failed) visit = begin(event.visit);  // it failed before it could be entered
    if (visit == nullptr || settled(visit->status) || !settled(event.status) || !may_move(visit->status, event.status)) return;
    visit->status = event.status;
    visit->settled_at = event.at;
    visit->response = event.response;
    visit->error = event.error;
    state_.running.erase(event.visit.step);
    --state_.unsettled;
    if (event.fails_chain && !state_.failing) state_.failing = event.error;
  }
  void operator()(const StateWritten& event) {
    for (const auto& [name, value] : event.variables) state_.variables[name] = value;
  }
  void operator()(const Jumped& event) { state_.entering = event.to; }

  void operator()(const PauseChanged& event) {
    if (!is_under_way(state_.status)) return;
    (event.above ? state_.paused_above : state_.paused_own) = event.paused;
    if (!event.above) {
      state_.pause_reason = event.paused ? event.reason : std::string{};
      state_.paused_by = event.paused ? event.by : std::string{};
    }
    const bool paused = state_.paused_own || state_.paused_above;
    if (paused == (state_.status == ChainStatus::paused)) return;
    state_.held_children = true;
    state_.paused_at = paused ? event.at : 0;
    move(paused ? ChainStatus::paused : ChainStatus::running);
  }
  void operator()(const Amended& event) {
    if (event.priority) state_.priority = event.priority;
    if (event.deadline_at) state_.deadline_at = *event.deadline_at;
    if (event.terms.empty()) return;
    for (StepIndex step = 0; step < state_.steps.size(); ++step) {
      if (event.only && *event.only != step) continue;
      auto& terms = state_.steps[step].terms;
      if (!terms) terms.emplace();
      terms->take_over(event.terms);
    }
  }
  void operator()(const SignalReceived& event) {
    if (event.number <= state_.had_signals.get().count) return;
    auto& book = state_.had_signals.change();
    book.count = event.number;
    book.kept.push_back({event.number, event.name, event.data, event.at});
    if (!event.key.empty()) remember(book.keys, remembered_key(event.name, event.key), kSignalKeysKept);
  }
  void operator()(const SignalConsumed& event) {
    auto& book = state_.had_signals.change();
    std::erase_if(book.kept, [&](const KeptSignal& kept) { return kept.number == event.number; });
    if (book.kept.empty()) std::vector<KeptSignal>{}.swap(book.kept);
    auto* visit = current(event.visit);
    if (visit == nullptr || !event.ok || visit->status != VisitStatus::running || visit->fan_out || visit->next != 0) return;
    visit->ok.set(0);
    visit->next = 1;
  }
  void operator()(const ApprovalAsked& event) {
    auto* visit = current(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running || event.items.empty()) return;
    auto free = visit->again;
    free.insert(IndexSet::range(visit->next, visit->width));
    if (!free.contains(event.items)) return;
    const auto end = event.items.ranges().back().last;
    if (end > visit->next) visit->again.insert(IndexSet::range(std::exchange(visit->next, end), end));
    visit->again.erase(event.items);
    auto& book = state_.approvals.change().asked;
    auto asked = std::ranges::lower_bound(book, event.visit.step, {}, &AskedApproval::step);
    if (asked == book.end() || asked->step != event.visit.step) asked = book.insert(asked, AskedApproval{.step = event.visit.step});
    if (asked->visit != event.visit.visit) *asked = AskedApproval{.step = event.visit.step, .visit = event.visit.visit};
    asked->open.insert(event.items);
    asked->denied.erase(event.items);
    asked->since = event.at;
    asked->until = event.until;
  }
  void operator()(const ApprovalAnswered& event) {
    auto* visit = current(event.visit);
    auto* asked = asked_of(event.visit);
    if (visit == nullptr || visit->status != VisitStatus::running || asked == nullptr || event.items.empty()) return;
    if (!asked->open.contains(event.items)) return;
    asked->open.erase(event.items);
    if (!event.key.empty()) remember(state_.approvals.change().keys, remembered_key(event.visit.step, event.key), kApprovalKeysKept);
    if (event.approved) {
      visit->again.insert(event.items);
      if (!visit->fan_out && !event.arguments.empty()) visit->arguments = event.arguments;
      return;
    }
    asked->denied.insert(event.items);
    event.items.for_each([&](ItemIndex item) { visit->bad.set(item); });
    if (event.error && !visit->first_error) visit->first_error = event.error;
  }
  void operator()(const CancelRequested& event) {
    state_.cancelling = true;
    state_.cancelling_now |= event.now;
    const auto& known = state_.cancel_words.get();
    // the first who said why counts, else the first
    if (known.reason.empty() && (known.by.empty() || !event.reason.empty())) state_.cancel_words = Seldom{CancelWords{event.reason, event.by}};
  }
  void operator()(const ChainFailing& event) {
    if (!state_.failing) state_.failing = event.error;
  }
  void operator()(const ChainFinished& event) {
    if (!terminal(event.status) || !move(event.status)) return;
    state_.response = event.response;
    state_.error = event.error;
    state_.finished_at = event.at;
    end_pause();
  }
  void operator()(const ChainQuarantined& event) {
    if (!move(ChainStatus::quarantined)) return;
    state_.error = event.error;
    end_pause();
  }

  void operator()(const RetryRequested& event) {
    if (is_under_way(state_.status)) return reopen_while_running(event);
    if (!terminal(state_.status) || !move(ChainStatus::running)) return;
    state_.failing.reset();
    state_.error.reset();
    state_.cancelling = state_.cancelling_now = false;
    state_.cancel_words = {};
    state_.for_grant = event.for_grant;
    if (!event.package.empty()) state_.package = event.package;
    if (!event.definition.empty()) state_.definition = event.definition;
    state_.only_failed = event.only_failed;
    state_.finished_at = 0;
    if (state_.deadline_at <= event.at) state_.deadline_at = 0;  // who runs it again then wants it to go on
    if (event.steps_total > state_.steps.size() && event.steps_total <= limits::kStepsMax) {
      state_.unsettled += event.steps_total - static_cast<std::uint32_t>(state_.steps.size());
      state_.steps.resize(event.steps_total);
    }
    for (const auto& reopened : event.steps) {
      if (reopened.step < state_.steps.size()) reopen(reopened);
    }
  }

  void operator()(const ChainForked& event) {
    if (state_.status == ChainStatus::pending || state_.status == ChainStatus::quarantined) return;
    begin_fork(state_, event);
    for (const auto& reopened : event.steps) {
      if (reopened.step < state_.steps.size()) reopen(reopened);
    }
    event.cut.for_each([&](std::uint32_t step) { leave(static_cast<StepIndex>(step)); });
    ask_again(state_);
  }

 private:
  /// An entry of a sequence that a fork goes back from: whether it is entered once more shows when the sequence comes there.
  void leave(StepIndex step) {
    if (step < state_.steps.size() && state_.steps[step].status == VisitStatus::cancelled)
      reopen_anew(state_.steps[step], {.step = step, .anew = true});
  }
  /// The oldest make room.
  static void remember(std::vector<std::string>& keys, std::string key, std::size_t most) {
    if (keys.size() >= most) keys.erase(keys.begin());
    keys.push_back(std::move(key));
  }
  /// What was asked for in this visit; null: nothing.
  AskedApproval* asked_of(const VisitId& id) {
    if (state_.approvals.get().asked.empty()) return nullptr;
    auto& book = state_.approvals.change().asked;
    const auto asked = std::ranges::lower_bound(book, id.step, {}, &AskedApproval::step);
    return asked != book.end() && asked->step == id.step && asked->visit == id.visit ? &*asked : nullptr;
  }
  void forget_approvals(StepIndex step) {
    if (state_.approvals.get().asked.empty()) return;
    std::erase_if(state_.approvals.change().asked, [&](const AskedApproval& asked) { return asked.step == step; });
  }
  void end_pause() {
    state_.paused_own = state_.paused_above = false;
    state_.pause_reason.clear();
    state_.paused_by.clear();
    state_.paused_at = 0;
  }
  /// The step begins anew; what a person has said of it holds.
  static void clear(VisitState& visit) {
    auto terms = std::move(visit.terms);
    visit = VisitState{};
    visit.terms = std::move(terms);
  }

  bool move(ChainStatus to) {
    if (!may_move(state_.status, to)) return false;
    state_.status = to;
    return true;
  }

  /// The visit the event speaks of, if it is the step's latest.
  VisitState* current(const VisitId& id) {
    if (id.step >= state_.steps.size() || state_.steps[id.step].visit != id.visit) return nullptr;
    return &state_.steps[id.step];
  }

  static void count(VisitState& visit, ItemIndex item, Ended how) {
    switch (how) {
      case Ended::failed: ++visit.tries[item].failed; return;
      case Ended::lost: ++visit.tries[item].lost; return;
      case Ended::postponed: ++visit.tries[item].postponed; return;
      case Ended::cancelled: return;
    }
  }

  /// A new visit, blocked; the step's former one is over.
  VisitState* begin(const VisitId& id) {
    if (id.step >= state_.steps.size()) return nullptr;
    auto& visit = state_.steps[id.step];
    if (visit.visit + 1 != id.visit || visit.status == VisitStatus::running) return nullptr;
    if (settled(visit.status)) ++state_.unsettled;
    clear(visit);
    forget_approvals(id.step);
    visit.visit = id.visit;
    if (state_.entering == id.step) {
      state_.entering.reset();
      ++state_.visits;
    }
    return &visit;
  }

  template <class Entered>
  void enter(const Entered& event, bool fan_out, std::uint32_t width) {
    if (width > limits::kFanOutWidthMax || !IndexSet::range(0, width).contains(event.kept)) return;
    auto* visit = begin(event.visit);
    if (visit == nullptr) return;
    visit->status = VisitStatus::running;
    visit->fan_out = fan_out;
    visit->width = width;
    visit->arguments = event.arguments;
    visit->ok = IndexBits{width};
    visit->bad = IndexBits{width};
    visit->deadline_at = event.deadline_at;
    visit->entered_at = event.at;
    state_.running.insert(event.visit.step);
    if (event.kept.empty()) return;
    event.kept.for_each([&](ItemIndex item) { visit->ok.set(item); });
    visit->next = width;
    visit->again = IndexSet::range(0, width);
    visit->again.erase(event.kept);
  }

  /// Takes items out of an open grant; false when they are not all in it.
  bool close(GrantId id, const VisitId& of, const IndexSet& items) {
    const auto grant = state_.grants.find(id);
    if (grant == state_.grants.end() || grant->second.visit != of || items.empty() || !grant->second.open.contains(items)) return false;
    grant->second.open.erase(items);
    if (auto* visit = current(of)) visit->in_flight -= std::min(visit->in_flight, items.size());
    if (grant->second.open.empty()) state_.grants.erase(grant);
    return true;
  }

  [[nodiscard]] bool on_its_way(const VisitId& visit, const IndexSet& items) const {
    return std::ranges::any_of(state_.grants,
                               [&](const auto& grant) { return grant.second.visit == visit && !both(grant.second.open, items).empty(); });
  }

  /// Blocked, with what it came to where that may stay; the visit to come has the next number.
  void reopen_anew(VisitState& visit, const Reopened& reopened) {
    if (!settled(visit.status)) {
      if (!reopened.keep) visit.former.reset();
      return;
    }
    ++state_.unsettled;
    forget_approvals(reopened.step);
    if (reopened.enter) state_.entering = reopened.step;
    VisitState blocked;
    blocked.visit = visit.visit;
    blocked.terms = visit.terms;
    if (reopened.keep && visit.entered_at != 0) {
      const bool completed = visit.status == VisitStatus::completed;
      blocked.former =
          FormerVisit{visit.visit, visit.fan_out, completed, visit.width, std::move(visit.arguments), std::move(visit.ok), std::move(visit.response)};
      reopened.items.for_each([&](ItemIndex item) { blocked.former->ok.reset(item); });
    }
    visit = std::move(blocked);
  }

  /// What runs and what waits goes on; a pause holds.
  void reopen_while_running(const RetryRequested& event) {
    if (state_.cancelling) return;
    state_.failing.reset();
    state_.only_failed = event.only_failed;
    for (const auto& reopened : event.steps) {
      if (reopened.step >= state_.steps.size()) continue;
      auto& visit = state_.steps[reopened.step];
      if (visit.status == VisitStatus::running) {
        reopen_items(visit, reopened.items);
      } else if (visit.in_flight == 0) {
        reopen(reopened);
      }
    }
  }

  /// Items that have settled may be granted once more. The first failure stays the first as long as one is left.
  static void reopen_items(VisitState& visit, const IndexSet& items) {
    if (!IndexSet::range(0, visit.width).contains(items)) return;
    items.for_each([&](ItemIndex item) {
      if (!visit.ok.test(item) && !visit.bad.test(item)) return;
      visit.ok.reset(item);
      visit.bad.reset(item);
      visit.again.insert(item);
    });
    if (visit.bad.count() != 0) return;
    visit.first_error.reset();
    visit.first_error_attempt = 0;
  }

  void reopen(const Reopened& reopened) {
    auto& visit = state_.steps[reopened.step];
    if (!IndexSet::range(0, visit.width).contains(reopened.items)) return;
    if (reopened.anew) return reopen_anew(visit, reopened);
    if (!settled(visit.status)) return;
    ++state_.unsettled;
    if (visit.entered_at == 0) {  // it failed when its arguments were evaluated: that is done again
      const auto former = visit.visit;
      clear(visit);
      forget_approvals(reopened.step);
      visit.visit = former == 0 ? 0 : former - 1;
      if (reopened.enter) state_.entering = reopened.step;
      return;
    }
    const bool was_completed = std::exchange(visit.status, VisitStatus::running) == VisitStatus::completed;
    const bool failures_stand = reopened.items_stand || reopened.failures_stand || (was_completed && !reopened.items.empty());
    if (!failures_stand) visit.bad = IndexBits{visit.width};
    reopened.items.for_each([&](ItemIndex item) {
      visit.ok.reset(item);
      visit.bad.reset(item);
    });
    visit.response = {};
    visit.tries.clear();
    visit.waiting.clear();
    visit.again.clear();
    for (ItemIndex item = 0; item < visit.next; ++item) {
      if (!visit.ok.test(item) && !visit.bad.test(item) && !visit.in_doubt.contains(item)) visit.again.insert(item);
    }
    if (auto* asked = asked_of({reopened.step, visit.visit})) asked->denied.insert(std::exchange(asked->open, {}));
    visit.settled_at = 0;
    visit.deadline_at = reopened.deadline_at;
    visit.first_error.reset();
    visit.first_error_attempt = 0;
    visit.error.reset();
    state_.running.insert(reopened.step);
  }

  ChainState& state_;
};

}  // namespace

bool begins_trace_part(const ChainState& state, const Event& event) {
  if (std::holds_alternative<RetryRequested>(event)) return terminal(state.status);
  if (std::holds_alternative<ChainForked>(event)) return false;  // its trace is another one
  if (state.status == ChainStatus::pending || terminal(state.status) || !state.grants.empty()) return false;
  const auto at = std::visit([](const auto& what) { return what.at; }, event);
  return at - state.last_at > limits::kTraceWaitMsMax;
}

void evolve(ChainState& state, const Event& event) {
  ++state.seq;
  if (begins_trace_part(state, event)) ++state.trace_part;
  std::visit([&](const auto& what) { state.last_at = std::max(state.last_at, what.at); }, event);
  std::visit(Evolver{state}, event);
}

}  // namespace catena::engine
