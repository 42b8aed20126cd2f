// Any text is a cron expression or is refused with a reason; due times of one follow each other and fit it.
#include "engine/schedule/timetable.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_cron(std::string_view text) {
  const auto cron = engine::parse_cron(text);
  if (!cron) {
    check(cron.error().code == Code::schedule_invalid && !cron.error().message.empty(), "a refusal says why");
    return;
  }
  for (const auto* zone : {"UTC", "+05:30", "Europe/Berlin"}) {
    const auto timetable = engine::Timetable::by_cron(text, zone);
    if (!timetable) return;  // a machine without a database of time zones
    UnixMillis before = 1'790'000'000'123;
    for (int count = 0; count < 20; ++count) {
      const auto due = timetable->next_after(before);
      if (!due) break;
      check(*due > before && *due % 1000 == 0, "due times follow each other, in whole seconds", text);
      check(timetable->next_after(*due - 1) == due, "a due time is found from the moment before it", text);
      before = *due;
    }
  }
}

}  // namespace catena::fuzz
