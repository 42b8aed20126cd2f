#pragma once
// Schedules, as values: what one is, what may happen to it, what is decided then. Pure, as the engine of chains is:
// decide(state, input) -> events, evolve(state, event), outstanding(state) -> effects. Memory is bounded, however long runs have to wait.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/schedule/timetable.hpp"

namespace catena::engine {

/// What becomes of a due time that comes while a run of the schedule goes on.
enum class Overlap : std::uint8_t {
  skip,    // it has no run
  queue,   // its run waits until the others have ended
  allow,   // its run begins
  cancel,  // the others are cancelled, and its run begins when they have ended
};
[[nodiscard]] constexpr std::uint32_t count_of(Overlap) { return static_cast<std::uint32_t>(Overlap::cancel) + 1; }
inline constexpr std::array kOverlapNames{std::string_view{"skip"}, std::string_view{"queue"}, std::string_view{"allow"}, std::string_view{"cancel"}};
[[nodiscard]] constexpr std::string_view name(Overlap overlap) { return kOverlapNames[static_cast<std::size_t>(overlap)]; }
[[nodiscard]] std::optional<Overlap> overlap_named(std::string_view text);

inline constexpr Millis kCatchupLeast{10'000};  // no moment of a busy coordinator costs a run
inline constexpr Millis kCatchupByDefault{3'600'000};
inline constexpr std::size_t kRunsAtATime = 100;          // of one schedule
inline constexpr std::uint64_t kRunsWaitingMax = 10'000;  // of one schedule
inline constexpr std::size_t kOrderedByHandMax = 100;     // that wait
inline constexpr std::size_t kSpansMax = 32;
inline constexpr std::size_t kPastRunsKept = 20;
inline constexpr std::size_t kDueTimesAtOnce = 1000;  // that one decision looks at
inline constexpr std::size_t kScheduleNameBytesMax = 100;
inline constexpr std::size_t kScheduleTextBytesMax = 1024;  // of a reason or an error that is kept; of a longer one its beginning

/// When a schedule is due, and what becomes of due times that overlap or were missed.
struct SchedulePlan {
  std::string cron = {};      // empty: `every_ms` says it
  std::string timezone = {};  // of `cron`; empty: UTC
  std::int64_t every_ms = 0;
  UnixMillis anchor = 0;  // of `every_ms`: when the schedule was made
  Overlap overlap = Overlap::skip;
  std::int64_t catchup_ms = kCatchupByDefault.count();  // how late a run may begin that was missed
  friend bool operator==(const SchedulePlan&, const SchedulePlan&) = default;
};
[[nodiscard]] bool has_same_due_times(const SchedulePlan& one, const SchedulePlan& other);
/// Error: schedule_invalid.
[[nodiscard]] Result<Timetable> timetable_of(const SchedulePlan& plan);
/// Letters, digits and . _ -, the first a letter or a digit. Error: id_invalid.
[[nodiscard]] Result<void> check_schedule_name(std::string_view name);

enum class RunKind : std::uint8_t { due, by_hand, backfill };
[[nodiscard]] constexpr std::uint32_t count_of(RunKind) { return static_cast<std::uint32_t>(RunKind::backfill) + 1; }
inline constexpr std::array kRunKindNames{std::string_view{"due"}, std::string_view{"trigger"}, std::string_view{"backfill"}};
[[nodiscard]] constexpr std::string_view name(RunKind kind) { return kRunKindNames[static_cast<std::size_t>(kind)]; }

/// A run, by the moment that it is for: a due time, in whole seconds, or the time of an order by hand, which is never one.
struct ScheduledRun {
  UnixMillis at = 0;
  RunKind kind = RunKind::due;
  bool begun = false;   // its chain is durable
  bool ending = false;  // it is to be cancelled
  friend bool operator==(const ScheduledRun&, const ScheduledRun&) = default;
};
/// The id of its chain: the same whenever it is submitted. "nightly-20261125T020000Z", and with milliseconds of an order by hand.
[[nodiscard]] std::string chain_of_run(std::string_view schedule, UnixMillis at);

/// Due times that wait for their runs: after < due time <= until.
struct WaitingSpan {
  UnixMillis after = 0;
  UnixMillis until = 0;
  std::uint64_t runs = 0;
  RunKind kind = RunKind::due;
  friend bool operator==(const WaitingSpan&, const WaitingSpan&) = default;
};
struct PastRun {
  UnixMillis at = 0;
  RunKind kind = RunKind::due;
  UnixMillis ended_at = 0;
  std::string outcome = {};  // the status of its chain; refused, removed
  std::string error = {};    // why it was refused
  friend bool operator==(const PastRun&, const PastRun&) = default;
};
struct ScheduleCounts {
  std::uint64_t begun = 0;
  std::uint64_t skipped = 0;  // because of runs that went on
  std::uint64_t missed = 0;   // too late for the catch-up window
  std::uint64_t refused = 0;  // could not be submitted
  friend bool operator==(const ScheduleCounts&, const ScheduleCounts&) = default;
};

struct ScheduleState {
  SchedulePlan plan = {};
  UnixMillis decided_until = 0;  // what became of due times until then
  std::vector<WaitingSpan> waiting = {};
  std::vector<UnixMillis> by_hand = {};  // that wait
  UnixMillis last_by_hand = 0;
  std::vector<ScheduledRun> active = {};
  std::vector<PastRun> past = {};  // the newest last
  ScheduleCounts counts = {};
  UnixMillis last_missed = 0;
  UnixMillis last_skipped = 0;
  bool paused = false;
  UnixMillis paused_at = 0;
  std::string paused_by = {};
  std::string pause_reason = {};
  friend bool operator==(const ScheduleState&, const ScheduleState&) = default;
};
/// Of a schedule that is made now.
[[nodiscard]] ScheduleState new_schedule(SchedulePlan plan, UnixMillis now);

// ---- inputs -------------------------------------------------------------------------------------------------------------

/// Look which due times have come.
struct ScheduleTick {};
/// A run's chain is durable. `before`: it was there already.
struct RunAccepted {
  UnixMillis at = 0;
  bool before = false;
};
struct RunNotAccepted {
  UnixMillis at = 0;
  std::string error = {};
};
struct RunOver {
  UnixMillis at = 0;
  std::string outcome = {};
};
struct PauseSchedule {
  std::string by = {};
  std::string reason = {};
};
struct UnpauseSchedule {};
struct TriggerSchedule {};
/// Due times from <= due time <= until, those that have come, with a run each that they do not have yet.
struct BackfillSchedule {
  UnixMillis from = 0;
  UnixMillis until = 0;
};
/// Another plan from now on. What waits goes on waiting where the new one has the same due times; else it is dropped, and counts as skipped.
struct Replan {
  SchedulePlan plan = {};
};
using ScheduleInput =
    std::variant<ScheduleTick, RunAccepted, RunNotAccepted, RunOver, PauseSchedule, UnpauseSchedule, TriggerSchedule, BackfillSchedule, Replan>;

// ---- events -------------------------------------------------------------------------------------------------------------

/// What became of due times, up to the last that was looked at.
struct DueTimesPassed {
  UnixMillis until = 0;
  std::uint64_t missed = 0;
  UnixMillis last_missed = 0;
  std::uint64_t skipped = 0;
  UnixMillis last_skipped = 0;
  std::optional<WaitingSpan> waits = {};
  bool instead = false;  // of due times that waited before
};
struct RunBegins {
  UnixMillis at = 0;
  RunKind kind = RunKind::due;
  bool known = false;      // it is under way: there is nothing to begin
  bool last_span = false;  // no other run of its span waits
};
struct RunBegan {
  UnixMillis at = 0;
  bool counts = true;
};
struct RunRefused {
  UnixMillis at = 0;
  UnixMillis now = 0;
  std::string error = {};
};
struct RunEnded {
  UnixMillis at = 0;
  UnixMillis now = 0;
  std::string outcome = {};
};
struct RunsCancelled {};
struct SchedulePaused {
  UnixMillis at = 0;
  std::string by = {};
  std::string reason = {};
};
struct ScheduleUnpaused {
  UnixMillis at = 0;
};
struct OrderedByHand {
  UnixMillis at = 0;
};
struct BackfillOrdered {
  WaitingSpan span = {};
};
struct Replanned {
  SchedulePlan plan = {};
  UnixMillis at = 0;
};
using ScheduleEvent = std::variant<DueTimesPassed, RunBegins, RunBegan, RunRefused, RunEnded, RunsCancelled, SchedulePaused, ScheduleUnpaused,
                                   OrderedByHand, BackfillOrdered, Replanned>;

/// Errors, of what a person asks: schedule_invalid, overloaded. What comes twice, or too late, comes to nothing.
[[nodiscard]] Result<std::vector<ScheduleEvent>> decide(const ScheduleState& state, const Timetable& timetable, const ScheduleInput& input,
                                                        UnixMillis now);
/// Total: it judges nothing.
void evolve(ScheduleState& state, const ScheduleEvent& event);

// ---- effects ------------------------------------------------------------------------------------------------------------

/// submit: under its id and a key, so doing it again does nothing. await: tell when it has ended. cancel: end it.
enum class RunEffect : std::uint8_t { submit, await, cancel };
struct ScheduleEffect {
  UnixMillis at = 0;
  RunEffect what = RunEffect::submit;
  friend auto operator<=>(const ScheduleEffect&, const ScheduleEffect&) = default;
};
/// All that the outside owes to this state; after a restart, all that is to be done again. Ascending.
[[nodiscard]] std::vector<ScheduleEffect> outstanding(const ScheduleState& state);
/// What an input added.
[[nodiscard]] std::vector<ScheduleEffect> added(const std::vector<ScheduleEffect>& before, const std::vector<ScheduleEffect>& after);

/// When to look again: the first due time of which nothing is decided; nothing: there is none, or it is paused.
[[nodiscard]] std::optional<UnixMillis> next_look(const ScheduleState& state, const Timetable& timetable);

}  // namespace catena::engine
