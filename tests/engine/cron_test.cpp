// Cron expressions and due times: which there are, and what becomes of them where clocks are set.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/iso8601.hpp"
#include "engine/schedule/timetable.hpp"
#include "tests/engine/dice.hpp"

namespace catena::engine {
namespace {

UnixMillis moment(std::string_view text) { return parse_iso8601(text).value(); }

/// The due times behind `from` and up to `until`, in UTC without milliseconds.
std::vector<std::string> due_times(const Timetable& timetable, std::string_view from, std::string_view until) {
  std::vector<std::string> times;
  for (auto due = timetable.next_after(moment(from)); due && *due <= moment(until) && times.size() < 100; due = timetable.next_after(*due)) {
    times.push_back(iso8601(*due).substr(0, 19));
  }
  return times;
}
std::vector<std::string> due_times(std::string_view cron, std::string_view zone, std::string_view from, std::string_view until) {
  const auto timetable = Timetable::by_cron(cron, zone);
  INFO(cron << " " << zone);
  REQUIRE(timetable.has_value());
  return due_times(*timetable, from, until);
}
using Times = std::vector<std::string>;

TEST_CASE("cron: fields, lists, ranges, steps and names say what they say elsewhere") {
  CHECK(due_times("0 10 * * *", "UTC", "2026-11-25T00:00:00Z", "2026-11-27T00:00:00Z") == Times{"2026-11-25T10:00:00", "2026-11-26T10:00:00"});
  CHECK(due_times("*/20 10-11 * * *", "", "2026-11-25T00:00:00Z", "2026-11-25T23:00:00Z") == Times{"2026-11-25T10:00:00", "2026-11-25T10:20:00",
                                                                                                   "2026-11-25T10:40:00", "2026-11-25T11:00:00",
                                                                                                   "2026-11-25T11:20:00", "2026-11-25T11:40:00"});
  CHECK(due_times("5,10 0 1 JAN,jul *", "UTC", "2026-01-01T00:05:00Z", "2027-01-01T00:05:00Z") ==
        Times{"2026-01-01T00:10:00", "2026-07-01T00:05:00", "2026-07-01T00:10:00", "2027-01-01T00:05:00"});
  CHECK(due_times("0 0 * * fri-sun", "UTC", "2026-11-25T00:00:00Z", "2026-11-30T00:00:00Z") ==
        Times{"2026-11-27T00:00:00", "2026-11-28T00:00:00", "2026-11-29T00:00:00"});
  CHECK(due_times("15,45 59 23 31 12 *", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z") ==
        Times{"2026-12-31T23:59:15", "2026-12-31T23:59:45"});
  CHECK(due_times("@daily", "UTC", "2026-11-25T00:00:00Z", "2026-11-26T00:00:00Z") == Times{"2026-11-26T00:00:00"});
  CHECK(due_times("@Hourly", "UTC", "2026-11-25T00:30:00Z", "2026-11-25T02:00:00Z") == Times{"2026-11-25T01:00:00", "2026-11-25T02:00:00"});
  CHECK(due_times("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2105-01-01T00:00:00Z") == Times{"2104-02-29T00:00:00"});
  CHECK(due_times("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", "2050-01-01T00:00:00Z").empty());
}

TEST_CASE("cron: a day of the month and a weekday are both meant, unless one of them begins with a star") {
  // the 13th, and each Friday
  CHECK(due_times("0 0 13 * 5", "UTC", "2026-11-01T00:00:00Z", "2026-11-21T00:00:00Z") ==
        Times{"2026-11-06T00:00:00", "2026-11-13T00:00:00", "2026-11-20T00:00:00"});
  CHECK(due_times("0 0 * * 5", "UTC", "2026-11-01T00:00:00Z", "2026-11-14T00:00:00Z") == Times{"2026-11-06T00:00:00", "2026-11-13T00:00:00"});
  // as vixie cron has it: */2 begins with a star, so the day has to be odd and a Friday
  CHECK(due_times("0 0 */2 * 5", "UTC", "2026-11-01T00:00:00Z", "2026-11-28T00:00:00Z") == Times{"2026-11-13T00:00:00", "2026-11-27T00:00:00"});
  CHECK(due_times("0 0 * * 7", "UTC", "2026-11-25T00:00:00Z", "2026-12-01T00:00:00Z") ==
        due_times("0 0 * * 0", "UTC", "2026-11-25T00:00:00Z", "2026-12-01T00:00:00Z"));
}

TEST_CASE("cron: what is none is refused, with the field and what it may be") {
  const auto refused = [](std::string_view cron) {
    const auto parsed = parse_cron(cron);
    INFO(cron);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().code == Code::schedule_invalid);
    return parsed.error().message;
  };
  CHECK(refused("* * * *").find("five fields") != std::string::npos);
  CHECK(refused("").find("has 0") != std::string::npos);
  CHECK(refused("60 * * * *").find("minute") != std::string::npos);
  CHECK(refused("* 24 * * *").find("hour") != std::string::npos);
  CHECK(refused("* * 0 * *").find("day of the month") != std::string::npos);
  CHECK(refused("* * * 13 *").find("jan to dec") != std::string::npos);
  CHECK(refused("* * * * 8").find("weekday") != std::string::npos);
  CHECK(refused("* * * * mon-").find("weekday") != std::string::npos);
  CHECK(refused("5-1 * * * *").find("later to the earlier") != std::string::npos);
  CHECK(refused("5/10 * * * *").find("step without a range") != std::string::npos);
  CHECK(refused("*/0 * * * *").find("step that is none") != std::string::npos);
  CHECK(refused("@reboot").find("@daily") != std::string::npos);
  CHECK(refused("1,,2 * * * *").find("minute") != std::string::npos);
  CHECK(refused("L * * * *").find("minute") != std::string::npos);
  CHECK(refused(std::string(2000, '*')).find("1024") != std::string::npos);
  CHECK(Timetable::by_cron("* * * * *", "Europe/Berln").error().message.find("Europe/Berlin") != std::string::npos);
  CHECK(Timetable::by_interval(Millis{500}, 0).error().code == Code::schedule_invalid);
  CHECK(Timetable::by_interval(Millis{1500}, 0).error().code == Code::schedule_invalid);
}

TEST_CASE("time zones: where clocks are set forward, a time that they pass over is due as much later") {
  // Berlin, 29 March 2026, 02:00 -> 03:00
  CHECK(due_times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-30T12:00:00Z") ==
        Times{"2026-03-28T01:30:00", "2026-03-29T01:30:00", "2026-03-30T00:30:00"});
  CHECK(due_times("0 * * * *", "Europe/Berlin", "2026-03-28T23:30:00Z", "2026-03-29T03:00:00Z") ==
        Times{"2026-03-29T00:00:00", "2026-03-29T01:00:00", "2026-03-29T02:00:00", "2026-03-29T03:00:00"});
  // what falls on a time that is due anyway is one run with it
  CHECK(due_times("30 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z") == Times{"2026-03-29T01:30:00"});
  // New York, 8 March 2026; Lord Howe goes forward by half an hour, 4 October 2026, 02:00 -> 02:30
  CHECK(due_times("30 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z") == Times{"2026-03-08T07:30:00"});
  CHECK(due_times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z") == Times{"2026-10-03T15:45:00"});
  // midnight is not there in Beirut
  CHECK(due_times("0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z") == Times{"2026-03-28T22:00:00"});
  // Apia had no 30 December 2011
  CHECK(due_times("0 10 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-02T00:00:00Z") == Times{"2011-12-30T20:00:00"});
}

TEST_CASE("time zones: where clocks are set back, a time is due once, and twice where the expression follows the clock") {
  // Berlin, 25 October 2026, 03:00 -> 02:00
  CHECK(due_times("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-26T12:00:00Z") ==
        Times{"2026-10-24T00:30:00", "2026-10-25T00:30:00", "2026-10-26T01:30:00"});
  CHECK(due_times("30 * * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T02:00:00Z") ==
        Times{"2026-10-24T23:30:00", "2026-10-25T00:30:00", "2026-10-25T01:30:00"});
  CHECK(due_times("30 2 * * *", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z") == Times{"2026-11-01T07:30:00"});
  CHECK(due_times("30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z") == Times{"2026-11-01T05:30:00"});
  CHECK(due_times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-05T00:00:00Z") == Times{"2026-04-04T14:45:00"});
  CHECK(due_times("0 3 * * *", "+02:00", "2026-10-24T12:00:00Z", "2026-10-26T00:00:00Z") == Times{"2026-10-25T01:00:00"});
}

TEST_CASE("time zones: a daily time comes once for each day of the year, everywhere") {
  for (const auto* zone : {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "America/St_Johns", "Africa/Casablanca",
                           "Pacific/Auckland", "America/Santiago", "Europe/Dublin"}) {
    for (const auto* cron : {"0 0 * * *", "30 1 * * *", "0 2 * * *", "30 2 * * *", "59 3 * * *"}) {
      const auto timetable = Timetable::by_cron(cron, zone);
      REQUIRE(timetable.has_value());
      int days = 0;
      for (auto due = timetable->next_after(moment("2026-01-01T12:00:00Z")); *due <= moment("2027-01-01T12:00:00Z");
           due = timetable->next_after(*due))
        ++days;
      INFO(zone << " " << cron);
      CHECK(days == 365);
    }
    const auto hourly = Timetable::by_cron("7 * * * *", zone);
    REQUIRE(hourly.has_value());
    int hours = 0;
    UnixMillis before = 0;
    for (auto due = hourly->next_after(moment("2026-01-01T00:00:00Z")); *due <= moment("2027-01-01T00:00:00Z"); due = hourly->next_after(*due)) {
      if (before != 0 && std::string{zone} != "Australia/Lord_Howe") CHECK(*due - before == 3'600'000);  // there the minutes move by thirty
      before = *due;
      ++hours;
    }
    INFO(zone);
    CHECK(hours == 365 * 24);
  }
}

TEST_CASE("time zones: whatever is asked first, due times are the same") {
  test::Dice dice{42};
  for (const auto* zone : {"Europe/Berlin", "Australia/Lord_Howe", "America/New_York"}) {
    for (const auto* cron : {"*/13 * * * *", "17,41 1-3 * * *", "30 2 * * *", "5 */7 2 * * sun"}) {
      const auto timetable = Timetable::by_cron(cron, zone);
      REQUIRE(timetable.has_value());
      for (int round = 0; round < 200; ++round) {
        const auto from = moment("2026-01-01T00:00:00Z") + static_cast<UnixMillis>(dice.next() % (365ULL * 86'400'000));
        const auto due = timetable->next_after(from);
        REQUIRE(due.has_value());
        CHECK(*due > from);
        CHECK(*due % 1000 == 0);
        const auto between = from + static_cast<UnixMillis>(dice.next() % static_cast<std::uint64_t>(*due - from));
        CHECK(timetable->next_after(between) == due);
      }
    }
  }
}

TEST_CASE("intervals: due times lie one interval apart from when the schedule was made") {
  const auto timetable = Timetable::by_interval(Millis{10'000}, 5'500);
  REQUIRE(timetable.has_value());
  CHECK(timetable->next_after(0) == 15'000);
  CHECK(timetable->next_after(5'500) == 15'000);
  CHECK(timetable->next_after(15'000) == 25'000);
  CHECK(timetable->next_after(1'000'000) == 1'005'000);
}

}  // namespace
}  // namespace catena::engine
