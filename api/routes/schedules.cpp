// Chains that begin by themselves when they are due.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kScheduleFilters{
    Parameter{"name", Kind::text, "only schedules with this name, or that fit this pattern (`*` and `?`)"},
    Parameter{"label", Kind::text, "only those whose runs have this label, `KEY=VALUE`"},
    Parameter{"namespace", Kind::text, "only those of this namespace"},
    kLimit,
    kOnlyFields,
    kCursor,
};
constexpr std::array kDueTimes{Parameter{"due_times", Kind::whole, "how many due times to come are told (default 5)", 1, 100}};
constexpr Documented kNoSchedule{404, "Problem", "no schedule has that name (`schedule_not_found`)"};
constexpr Documented kScheduleConflict{
    412, "Problem", "it is not at the version that `If-Match` names, or is there in spite of `If-None-Match: *` (`version_conflict`)"};
constexpr std::array kSchedulePage{Documented{200, "SchedulePage", "a page of schedules; `cursor` asks for the next one"}};
constexpr std::array kScheduleTold{Documented{200, "Schedule", "the schedule; the header `ETag` has its version"}, kNoSchedule};
constexpr std::array kSchedulePut{
    Documented{200, "ScheduleDoneOrPreview", "it is stored and durable; the header `ETag` has its version. Or it was only validated"},
    kScheduleConflict, Documented{422, "Problem", "all that is wrong with it, with pointers into the body"}, kBusy};
constexpr std::array kScheduleRemoved{Documented{200, "ScheduleDoneOrPreview", "it begins nothing more; its runs that go on do so"}, kNoSchedule,
                                      kScheduleConflict, kBusy};
constexpr std::array kScheduleOrdered{Documented{200, "ScheduleDoneOrPreview", "it is done and durable, or it was only validated"}, kNoSchedule,
                                      Documented{422, "Problem", "the body is wrong, or asks for what cannot be"}, kBusy};

constexpr std::array kScheduleRoutes{
    Route{Verb::get, "/v1/schedules", "listSchedules", "Schedules", Role::viewer, "list schedules", "By name. [Schedules](schedules.md) says more.",
          kScheduleFilters, "", 0, kSchedulePage, Work{list_schedules}},
    Route{Verb::get, "/v1/schedules/{name}", "tellSchedule", "Schedules", Role::viewer, "one schedule",
          "When it is due next, its last runs, and how many were skipped and missed.", kDueTimes, "", 0, kScheduleTold, Work{tell_schedule}},
    Route{Verb::put, "/v1/schedules/{name}", "putSchedule", "Schedules", Role::operate, "make a schedule, or another one in its place",
          "`If-Match` with the `ETag` of a version changes that version and no other; `If-None-Match: *` makes a new one. The definition is pinned "
          "as it "
          "is now, unless `follow` is true.",
          kChecks, "ScheduleWish", kDefinitionBytes, kSchedulePut, Work{put_schedule}},
    Route{Verb::remove, "/v1/schedules/{name}", "removeSchedule", "Schedules", Role::operate, "delete a schedule", "", kRemovals, "", 0,
          kScheduleRemoved, Work{remove_schedule}},
    Route{Verb::post, "/v1/schedules/{name}:pause", "pauseSchedule", "Schedules", Role::operate, "let due times go by for a while", "", kChecks,
          "Reason", kControlBytes, kScheduleOrdered, Work{pause_schedule}, true},
    Route{Verb::post, "/v1/schedules/{name}:resume", "resumeSchedule", "Schedules", Role::operate, "let a paused schedule begin runs again",
          "Due times that went by meanwhile have no run.", kChecks, "Reason", kControlBytes, kScheduleOrdered, Work{resume_schedule}, true},
    Route{Verb::post, "/v1/schedules/{name}:trigger", "triggerSchedule", "Schedules", Role::operate, "begin a run now",
          "It waits for the runs that go on, unless the schedule allows them to overlap.", kChecks, "Reason", kControlBytes, kScheduleOrdered,
          Work{trigger_schedule}, true},
    Route{Verb::post, "/v1/schedules/{name}:backfill", "backfillSchedule", "Schedules", Role::operate,
          "give due times of the past the run that they do not have", "", kChecks, "Backfill", kControlBytes, kScheduleOrdered,
          Work{backfill_schedule}},
};
static_assert(are_whole(kScheduleRoutes));

}  // namespace

std::span<const Route> schedule_routes() { return kScheduleRoutes; }

}  // namespace catena::api
