#pragma once
// Schedules as records and messages carry them: see base/codec.hpp.
#include "engine/schedule/schedule.hpp"

namespace catena::engine {

template <class V>
void fields(V& v, SchedulePlan& x) {
  v("cron", x.cron), v("timezone", x.timezone), v("every_ms", x.every_ms), v("anchor", x.anchor), v("overlap", x.overlap),
      v("catchup_ms", x.catchup_ms);
}
template <class V>
void fields(V& v, ScheduledRun& x) {
  v("at", x.at), v("kind", x.kind), v("begun", x.begun), v("ending", x.ending);
}
template <class V>
void fields(V& v, WaitingSpan& x) {
  v("after", x.after), v("until", x.until), v("runs", x.runs), v("kind", x.kind);
}
template <class V>
void fields(V& v, PastRun& x) {
  v("at", x.at), v("kind", x.kind), v("ended_at", x.ended_at), v("outcome", x.outcome), v("error", x.error);
}
template <class V>
void fields(V& v, ScheduleCounts& x) {
  v("begun", x.begun), v("skipped", x.skipped), v("missed", x.missed), v("refused", x.refused);
}
template <class V>
void fields(V& v, ScheduleState& x) {
  v("plan", x.plan), v("decided_until", x.decided_until), v("waiting", x.waiting), v("by_hand", x.by_hand), v("last_by_hand", x.last_by_hand),
      v("active", x.active), v("past", x.past), v("counts", x.counts), v("last_missed", x.last_missed), v("last_skipped", x.last_skipped),
      v("paused", x.paused), v("paused_at", x.paused_at), v("paused_by", x.paused_by), v("pause_reason", x.pause_reason);
}

}  // namespace catena::engine
