// What is decided when something happens to a schedule.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/cut_text.hpp"
#include "engine/schedule/schedule.hpp"

namespace catena::engine {
namespace {

/// The events of one input, over the state as they leave it.
class ScheduleDecider {
 public:
  ScheduleDecider(const ScheduleState& state, const Timetable& timetable, UnixMillis now) : state_{state}, timetable_{timetable}, now_{now} {}

  Result<void> take(const ScheduleTick&) {
    if (!state_.paused) pass_due_times();
    return {};
  }
  Result<void> take(const RunAccepted& accepted) {
    const auto* run = run_of(accepted.at);
    if (run != nullptr && !run->begun) add(RunBegan{accepted.at, !accepted.before || run->kind != RunKind::backfill});
    return {};
  }
  Result<void> take(const RunNotAccepted& refused) {
    const auto* run = run_of(refused.at);
    if (run != nullptr && !run->begun) add(RunRefused{refused.at, now_, std::string{cut_text(refused.error, kScheduleTextBytesMax)}});
    return {};
  }
  Result<void> take(const RunOver& over) {
    const auto* run = run_of(over.at);
    if (run != nullptr && run->begun) add(RunEnded{over.at, now_, over.outcome});
    return {};
  }
  Result<void> take(const PauseSchedule& pause) {
    if (state_.paused) return {};
    pass_due_times(kAllDueTimes);  // what was due before is not what the pause holds up
    add(SchedulePaused{now_, std::string{cut_text(pause.by, kScheduleTextBytesMax)}, std::string{cut_text(pause.reason, kScheduleTextBytesMax)}});
    return {};
  }
  Result<void> take(const UnpauseSchedule&) {
    if (state_.paused) add(ScheduleUnpaused{now_});
    return {};
  }
  Result<void> take(const TriggerSchedule&) {
    if (state_.by_hand.size() >= kOrderedByHandMax)
      return fail(Code::overloaded,
                  fmt::format("{} runs that were ordered by hand wait already; order others when those have begun", kOrderedByHandMax));
    auto at = std::max(now_, state_.last_by_hand + 1);
    if (at % 1000 == 0) ++at;  // no due time: its chain has an id of its own
    add(OrderedByHand{at});
    return {};
  }
  Result<void> take(const BackfillSchedule& backfill) { return order_backfill(backfill); }
  Result<void> take(const Replan& replan) {
    if (!state_.paused) pass_due_times(kAllDueTimes);  // by the plan that held until now
    add(Replanned{replan.plan, now_});
    return {};
  }

  /// What there is room for begins; what is in the way is cancelled.
  void begin_runs() {
    if (state_.plan.overlap == Overlap::cancel && is_waiting(RunKind::due) && !state_.paused &&
        std::ranges::any_of(state_.active, [](const ScheduledRun& run) { return !run.ending; }))
      add(RunsCancelled{});
    const std::size_t room = state_.plan.overlap == Overlap::allow ? kRunsAtATime : 1;
    while (state_.active.size() < room) {
      const auto begins = next_run();
      if (!begins) return;
      add(*begins);
    }
  }

  std::vector<ScheduleEvent> take_events() && { return std::move(events_); }

 private:
  void add(ScheduleEvent event) {
    evolve(state_, event);
    events_.push_back(std::move(event));
  }
  [[nodiscard]] const ScheduledRun* run_of(UnixMillis at) const {
    const auto run = std::ranges::find(state_.active, at, &ScheduledRun::at);
    return run == state_.active.end() ? nullptr : &*run;
  }
  [[nodiscard]] bool is_waiting(RunKind kind) const {
    return std::ranges::any_of(state_.waiting, [&](const WaitingSpan& span) { return span.kind == kind; });
  }
  [[nodiscard]] std::uint64_t runs_waiting() const {
    std::uint64_t runs = 0;
    for (const auto& span : state_.waiting) runs += span.runs;
    return runs;
  }

  static constexpr std::size_t kAllDueTimes = std::numeric_limits<std::size_t>::max();
  void pass_due_times(std::size_t most = kDueTimesAtOnce) {
    const auto window = std::max(state_.plan.catchup_ms, kCatchupLeast.count());
    DueTimesPassed passed{state_.decided_until};
    auto due = timetable_.next_after(passed.until);
    for (std::size_t count = 0; due && *due <= now_ && count < most; ++count) {
      if (now_ - *due > window) {
        ++passed.missed;
        passed.last_missed = *due;
      } else {
        pass_due_time(passed, *due);
      }
      passed.until = *due;
      due = timetable_.next_after(*due);
    }
    if (passed.until != state_.decided_until) add(passed);
  }

  /// A due time behind that moment goes with the last of those that wait.
  [[nodiscard]] bool joins_last(UnixMillis until) const {
    const auto last = std::find_if(state_.waiting.rbegin(), state_.waiting.rend(), [](const auto& span) { return span.kind == RunKind::due; });
    return last != state_.waiting.rend() && last->until == until;
  }

  void pass_due_time(DueTimesPassed& passed, UnixMillis due) {
    const auto skip = [&] {
      ++passed.skipped;
      passed.last_skipped = due;
    };
    switch (state_.plan.overlap) {
      case Overlap::skip:
        if (passed.waits || !state_.active.empty() || !state_.by_hand.empty() || is_waiting(RunKind::due)) return skip();
        break;
      case Overlap::cancel:
        if (passed.waits || (!passed.instead && is_waiting(RunKind::due))) {
          ++passed.skipped;  // the one before, which did not begin
          passed.last_skipped = passed.until;
        }
        passed.instead = true;
        passed.waits.reset();
        break;
      case Overlap::queue:
      case Overlap::allow:
        const bool joins = passed.waits && passed.waits->until == passed.until;
        const auto more = passed.waits ? passed.waits->runs : 0;
        if (runs_waiting() + more >= kRunsWaitingMax || (!passed.waits && state_.waiting.size() >= kSpansMax && !joins_last(passed.until)))
          return skip();
        if (joins) {
          passed.waits->until = due;
          ++passed.waits->runs;
          return;
        }
        break;
    }
    passed.waits = WaitingSpan{passed.until, due, 1, RunKind::due};
  }

  Result<void> order_backfill(BackfillSchedule backfill) {
    if (backfill.from > backfill.until || backfill.from > now_)
      return fail(Code::schedule_invalid, "a backfill goes from a time to a later one, and begins in the past");
    backfill.from = std::max<UnixMillis>(backfill.from, 1);
    backfill.until = std::min(backfill.until, now_);  // the clock of whoever asks may be ahead
    if (state_.waiting.size() >= kSpansMax / 2)
      return fail(Code::overloaded, "as many backfills wait as a schedule holds; order others when those are done");
    WaitingSpan span{backfill.from - 1, backfill.from - 1, 0, RunKind::backfill};
    const auto room = kRunsWaitingMax - std::min(kRunsWaitingMax, runs_waiting());
    for (auto due = timetable_.next_after(span.after); due && *due <= backfill.until; due = timetable_.next_after(*due)) {
      if (span.runs == room)
        return fail(Code::schedule_invalid, fmt::format("this span has more due times than may wait, {}: order a part of it", room));
      span.until = *due;
      ++span.runs;
    }
    if (span.runs == 0) return fail(Code::schedule_invalid, "the schedule has no due time in this span: nothing would run");
    add(BackfillOrdered{span});
    return {};
  }

  /// Orders by hand come first, then due times, then what is made up for. Where a due time ends what goes on, it goes before an order by hand, which
  /// it would end as that begins.
  std::optional<RunBegins> next_run() const {
    const bool is_first = state_.plan.overlap != Overlap::cancel || state_.paused || !is_waiting(RunKind::due);
    if (is_first && !state_.by_hand.empty()) return RunBegins{state_.by_hand.front(), RunKind::by_hand};
    for (const auto kind : {RunKind::due, RunKind::backfill}) {
      if (kind == RunKind::due && state_.paused) continue;
      const auto span = std::ranges::find(state_.waiting, kind, &WaitingSpan::kind);
      if (span == state_.waiting.end()) continue;
      const auto at = timetable_.next_after(span->after).value_or(span->until);
      const auto behind = timetable_.next_after(at);
      return RunBegins{at, kind, run_of(at) != nullptr, !behind || *behind > span->until};
    }
    return std::nullopt;
  }

  ScheduleState state_;
  const Timetable& timetable_;
  UnixMillis now_;
  std::vector<ScheduleEvent> events_;
};

}  // namespace

Result<std::vector<ScheduleEvent>> decide(const ScheduleState& state, const Timetable& timetable, const ScheduleInput& input, UnixMillis now) {
  ScheduleDecider decider{state, timetable, now};
  auto taken = std::visit([&](const auto& what) { return decider.take(what); }, input);
  if (!taken) return fail(std::move(taken).error());
  decider.begin_runs();
  return std::move(decider).take_events();
}

}  // namespace catena::engine
