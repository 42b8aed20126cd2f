// What a schedule is, how events change it, and what it owes.
#include "engine/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/characters.hpp"

namespace catena::engine {
namespace {

std::vector<ScheduledRun>::iterator run_at(ScheduleState& state, UnixMillis at) { return std::ranges::find(state.active, at, &ScheduledRun::at); }

/// Out of those that go on, into those that are over.
void put_past(ScheduleState& state, UnixMillis at, UnixMillis now, std::string outcome, std::string error) {
  const auto run = run_at(state, at);
  if (run == state.active.end()) return;
  state.past.push_back({at, run->kind, now, std::move(outcome), std::move(error)});
  state.active.erase(run);
  if (state.past.size() > kPastRunsKept) state.past.erase(state.past.begin());
}

/// Behind the last of its kind where nothing lies between.
void add_span(ScheduleState& state, const WaitingSpan& span) {
  const auto last = std::find_if(state.waiting.rbegin(), state.waiting.rend(), [&](const auto& one) { return one.kind == span.kind; });
  if (span.kind == RunKind::due && last != state.waiting.rend() && last->until == span.after) {
    last->until = span.until;
    last->runs += span.runs;
  } else {
    state.waiting.push_back(span);
  }
}

void drop_waiting(ScheduleState& state, RunKind kind) {
  std::erase_if(state.waiting, [&](const WaitingSpan& span) { return span.kind == kind; });
}

void take_waiting(ScheduleState& state, const RunBegins& begins) {
  if (begins.kind == RunKind::by_hand) {
    std::erase(state.by_hand, begins.at);
    return;
  }
  const auto span = std::ranges::find(state.waiting, begins.kind, &WaitingSpan::kind);
  if (span == state.waiting.end()) return;
  span->after = begins.at;
  span->runs -= std::min<std::uint64_t>(span->runs, 1);
  if (begins.last_span) state.waiting.erase(span);
}

struct ScheduleEvolver {
  ScheduleState& state;

  void operator()(const DueTimesPassed& passed) const {
    if (passed.instead) drop_waiting(state, RunKind::due);
    if (passed.waits) add_span(state, *passed.waits);
    state.decided_until = passed.until;
    state.counts.missed += passed.missed;
    state.counts.skipped += passed.skipped;
    if (passed.missed > 0) state.last_missed = passed.last_missed;
    if (passed.skipped > 0) state.last_skipped = passed.last_skipped;
  }
  void operator()(const RunBegins& begins) const {
    take_waiting(state, begins);
    if (!begins.known) state.active.push_back({begins.at, begins.kind});
  }
  void operator()(const RunBegan& began) const {
    const auto run = run_at(state, began.at);
    if (run == state.active.end()) return;
    run->begun = true;
    if (began.counts) ++state.counts.begun;
  }
  void operator()(const RunRefused& refused) const {
    ++state.counts.refused;
    put_past(state, refused.at, refused.now, "refused", refused.error);
  }
  void operator()(const RunEnded& ended) const { put_past(state, ended.at, ended.now, ended.outcome, {}); }
  void operator()(const RunsCancelled&) const {
    for (auto& run : state.active) run.ending = true;
  }
  void operator()(const SchedulePaused& paused) const {
    state.paused = true;
    state.paused_at = paused.at;
    state.paused_by = paused.by;
    state.pause_reason = paused.reason;
  }
  void operator()(const ScheduleUnpaused& unpaused) const {
    state.paused = false;
    state.paused_at = 0;
    state.paused_by.clear();
    state.pause_reason.clear();
    state.decided_until = std::max(state.decided_until, unpaused.at);
  }
  void operator()(const OrderedByHand& ordered) const {
    state.by_hand.push_back(ordered.at);
    state.last_by_hand = ordered.at;
  }
  void operator()(const BackfillOrdered& ordered) const { state.waiting.push_back(ordered.span); }
  void operator()(const Replanned& replanned) const {
    if (!has_same_due_times(state.plan, replanned.plan)) {
      for (const auto& span : state.waiting) {
        if (span.kind != RunKind::due) continue;
        state.counts.skipped += span.runs;
        state.last_skipped = span.until;
      }
      state.waiting.clear();
    }
    state.plan = replanned.plan;
    state.decided_until = std::max(state.decided_until, replanned.at);
  }
};

}  // namespace

std::optional<Overlap> overlap_named(std::string_view text) {
  const auto found = std::ranges::find(kOverlapNames, text);
  if (found == kOverlapNames.end()) return std::nullopt;
  return static_cast<Overlap>(found - kOverlapNames.begin());
}

bool has_same_due_times(const SchedulePlan& one, const SchedulePlan& other) {
  return one.cron == other.cron && one.timezone == other.timezone && one.every_ms == other.every_ms && one.anchor == other.anchor;
}

Result<Timetable> timetable_of(const SchedulePlan& plan) {
  if (plan.cron.empty() == (plan.every_ms == 0))
    return fail(Code::schedule_invalid, "a schedule has a cron expression or an interval, and not both: say when it is due");
  if (plan.cron.empty() && !plan.timezone.empty())
    return fail(Code::schedule_invalid, "a time zone is for a cron expression: an interval is the same everywhere");
  if (plan.catchup_ms < 0 || plan.catchup_ms > kIntervalMost.count())
    return fail(Code::schedule_invalid, fmt::format("the catch-up window is 0 to {}", to_string(kIntervalMost)));
  return plan.cron.empty() ? Timetable::by_interval(Millis{plan.every_ms}, plan.anchor) : Timetable::by_cron(plan.cron, plan.timezone);
}

Result<void> check_schedule_name(std::string_view name) {
  if (!name.empty() && name.size() <= kScheduleNameBytesMax && is_alphanumeric(name.front()) && std::ranges::all_of(name, in_dotted_name)) return {};
  return fail(Code::id_invalid, fmt::format("'{}' cannot be the name of a schedule: up to {} letters, digits, '.', '_', '-', the first a letter or a "
                                            "digit",
                                            name.substr(0, kScheduleNameBytesMax), kScheduleNameBytesMax));
}

std::string chain_of_run(std::string_view schedule, UnixMillis at) {
  auto stamp = iso8601(at);  // 2026-11-25T02:00:00.000Z
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  if (at % 1000 == 0) stamp.erase(stamp.find('.'), 4);
  return fmt::format("{}-{}", schedule, stamp);
}

ScheduleState new_schedule(SchedulePlan plan, UnixMillis now) {
  ScheduleState state;
  state.plan = std::move(plan);
  state.decided_until = now;
  return state;
}

void evolve(ScheduleState& state, const ScheduleEvent& event) { std::visit(ScheduleEvolver{state}, event); }

std::vector<ScheduleEffect> outstanding(const ScheduleState& state) {
  std::vector<ScheduleEffect> effects;
  for (const auto& run : state.active) {
    effects.push_back({run.at, run.begun ? RunEffect::await : RunEffect::submit});
    if (run.begun && run.ending) effects.push_back({run.at, RunEffect::cancel});
  }
  std::ranges::sort(effects);
  return effects;
}

std::vector<ScheduleEffect> added(const std::vector<ScheduleEffect>& before, const std::vector<ScheduleEffect>& after) {
  std::vector<ScheduleEffect> more;
  std::ranges::set_difference(after, before, std::back_inserter(more));
  return more;
}

std::optional<UnixMillis> next_look(const ScheduleState& state, const Timetable& timetable) {
  if (state.paused) return std::nullopt;
  return timetable.next_after(state.decided_until);
}

}  // namespace catena::engine
