#pragma once
// Messages about schedules. They never leave the process; messages.hpp includes them.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/schedule/schedule.hpp"

namespace catena::actors {

struct Submission;

/// Of a person: make a schedule, or another one in its place. Answered with ScheduleDone once it is durable.
struct PutSchedule {
  std::string name;
  engine::SchedulePlan plan = {};
  std::shared_ptr<const Submission> work = {};  // what each run is, without the id of a chain
  std::string definition = {};                  // as it was named
  bool follow = false;                          // each run takes the newest stored version of it
  std::optional<std::string> expected = {};     // the version that is there; empty: there is none; nothing: whatever is there
  std::string namespace_ = {};                  // that whoever asks reaches alone; empty: all there is
  std::string by = {};                          // whoever asks, in a word
  bool only_check = false;                      // say whether it can be done, and do nothing
};

/// Of a person, too. Answered with ScheduleDone once it is durable.
enum class ScheduleVerb : std::uint8_t { pause, resume, trigger, backfill, remove };
[[nodiscard]] constexpr std::uint32_t count_of(ScheduleVerb) { return static_cast<std::uint32_t>(ScheduleVerb::remove) + 1; }
[[nodiscard]] constexpr std::string_view name(ScheduleVerb verb) {
  constexpr std::array kNames{std::string_view{"pause"}, std::string_view{"resume"}, std::string_view{"trigger"}, std::string_view{"backfill"},
                              std::string_view{"remove"}};
  return kNames[static_cast<std::size_t>(verb)];
}
struct OrderSchedule {
  std::string name;
  ScheduleVerb verb = ScheduleVerb::pause;
  UnixMillis from = 0;  // of a backfill, as is the next
  UnixMillis until = 0;
  std::optional<std::string> expected = {};  // of a removal: see PutSchedule
  std::string reason = {};                   // in the words of who asked
  std::string namespace_ = {};               // see PutSchedule, as for the next two
  std::string by = {};
  bool only_check = false;
};
struct ScheduleDone {
  std::string name;
  std::string version = {};  // of the schedule; empty: it is gone
  ChainId chain = {};        // of a trigger: its run
  std::uint64_t runs = 0;    // of a backfill: due times that get a run
  std::optional<Error> error = {};
};

/// Of the keeper to itself: due times have come, or there is more to do.
struct SchedulesDue {
  UnixMillis at = 0;
};
struct SchedulesGoOn {};
/// To the keeper, once: chains go on, so runs may begin.
struct BeginSchedules {};

}  // namespace catena::actors

#define CATENA_SCHEDULE_MESSAGES(X) X(PutSchedule) X(OrderSchedule) X(ScheduleDone) X(SchedulesDue) X(SchedulesGoOn) X(BeginSchedules)
