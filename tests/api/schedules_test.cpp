// Schedules over HTTP: what each route reads and refuses, and what a real coordinator makes of it, also over kill -9.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/iso8601.hpp"
#include "engine/schedule/schedule.hpp"

#include "tests/api/kept_scene.hpp"
#include "tests/api/server.hpp"

namespace catena::api::test {
namespace {

std::string schedule_of(const std::string& when, const std::string& more = {}) {
  return fmt::format(R"({{{}, "definition": {}, "arguments": {{"x": 1}}{}}})", when, kEchoes, more);
}

/// Asks until that holds of the schedule.
template <class Holds>
Json schedule_when(const Server& server, const std::string& name, const Holds& holds) {
  Json json;
  for (int asks = 0; asks < 200'000; ++asks) {
    json = server.ask("GET", "/v1/schedules/" + name).json();
    if (holds(json)) return json;
  }
  FAIL(json.dump());
  return json;
}

/// The chains of a schedule: how many there are of each id.
std::multiset<std::string> chains_of_schedule(const Server& server, const std::string& name) {
  std::multiset<std::string> ids;
  std::string cursor;
  do {
    const auto page = server.ask("GET", "/v1/chains?limit=1000&label=schedule%3D" + name + (cursor.empty() ? "" : "&cursor=" + cursor)).json();
    for (const auto& row : page["chains"]) ids.insert(row["chain_id"].get<std::string>());
    cursor = page.value("cursor", "");
  } while (!cursor.empty());
  return ids;
}

/// That the chain with this id was begun for: NAME-20261125T101502Z.
UnixMillis due_time_of(const std::string& chain) {
  const auto at = chain.substr(chain.rfind('-') + 1);
  const auto time = parse_iso8601(
      fmt::format("{}-{}-{}T{}:{}:{}Z", at.substr(0, 4), at.substr(4, 2), at.substr(6, 2), at.substr(9, 2), at.substr(11, 2), at.substr(13, 2)));
  REQUIRE(time.has_value());
  return *time;
}

}  // namespace

TEST_CASE("schedules: what is wrong with one is told with pointers into the body") {
  KeptScene scene;
  struct Row {
    std::string body;
    std::string pointer;
  };
  for (const auto& [body, pointer] : std::vector<Row>{
           {schedule_of(R"("cron": "61 * * * *")"), "/cron"},
           {schedule_of(R"("cron": "* * * * *", "timezone": "Europe/Berln")"), "/timezone"},
           {schedule_of(R"("every": "500ms")"), "/every"},
           {schedule_of(R"("every": "soon")"), "/every"},
           {schedule_of(R"("every": "10s", "overlap": "wait")"), "/overlap"},
           {schedule_of(R"("every": "10s", "catchup": -1)"), "/catchup"},
           {schedule_of(R"("every": "10s", "deadline": "soon")"), "/deadline"},
           {schedule_of(R"("every": "10s", "id": "x")"), "/id"},
           {schedule_of(R"("every": "10s", "crom": "x")"), "/crom"},
           {schedule_of(R"("every": "10s", "follow": 1)"), "/follow"},
           {schedule_of(R"("every": "10s", "follow": true)"), "/follow"},  // of a definition that the body brings
           {schedule_of(R"("every": "10s", "catchup": "400d")"), "/catchup"},
       }) {
    CAPTURE(body);
    const auto refused = scene.ask("PUT", "/v1/schedules/s", body);
    CHECK(refused.status == 422);
    const auto json = parsed(refused);
    REQUIRE(json.contains("errors"));
    CHECK(json["errors"][0]["pointer"] == pointer);
  }
  CHECK(parsed(scene.ask("PUT", "/v1/schedules/s", schedule_of(R"("cron": "* * * * *", "every": "10s")")))["code"] == "schedule_invalid");
  CHECK(parsed(scene.ask("PUT", "/v1/schedules/-s", schedule_of(R"("every": "10s")")))["code"] == "id_invalid");
  CHECK(scene.ask("GET", "/v1/schedules/s").status == 404);
  CHECK(parsed(scene.ask("GET", "/v1/schedules")) == Json{{"schedules", Json::array()}});
  CHECK(scene.ask("POST", "/v1/schedules/s:backfill", R"({"from": "yesterday", "until": "2026-11-25"})").status == 422);
}

TEST_CASE("schedules: made, changed, paused, triggered, made up for and deleted over HTTP") {
  const Folder folder;
  const Server server{folder};
  const auto checked =
      server.ask("PUT", "/v1/schedules/nightly?validate_only=true", schedule_of(R"("cron": "0 2 * * *", "timezone": "Europe/Berlin")"));
  INFO(checked.body);
  CHECK(checked.json()["would"] == "put_schedule");
  CHECK(checked.json()["next"].size() == 5);
  CHECK(server.ask("GET", "/v1/schedules/nightly").status == 404);
  const auto put = server.ask("PUT", "/v1/schedules/nightly", schedule_of(R"("cron": "0 2 * * *", "deadline": "2h", "labels": {"team": "red"})"),
                              "If-None-Match: *\r\n");
  INFO(put.body);
  REQUIRE(put.status == 200);
  CHECK(fits(put.json(), "ScheduleDone"));
  CHECK(put.headers.at("etag") == "\"v1\"");
  CHECK(server.ask("GET", "/v1/schedules/nightly").json()["deadline"] == "2h");
  CHECK(server.ask("PUT", "/v1/schedules/nightly", schedule_of(R"("every": "1h")"), "If-None-Match: *\r\n").status == 412);
  CHECK(server.ask("PUT", "/v1/schedules/nightly", schedule_of(R"("every": "1h")"), "If-Match: \"v7\"\r\n").status == 412);
  CHECK(server.ask("PUT", "/v1/schedules/nightly", schedule_of(R"("every": "1h")"), "If-Match: \"v1\"\r\n").headers.at("etag") == "\"v2\"");
  const auto told = server.ask("GET", "/v1/schedules/nightly?due_times=2");
  INFO(told.body);
  CHECK(fits(told.json(), "Schedule"));
  CHECK(told.headers.at("etag") == "\"v2\"");
  CHECK(told.json()["next"].size() == 2);
  CHECK(told.json()["arguments"] == Json{{"x", 1}});
  CHECK(fits(server.ask("GET", "/v1/schedules?name=n*").json(), "SchedulePage"));

  const auto paused = server.ask("POST", "/v1/schedules/nightly:pause", R"({"reason": "maintenance"})");
  CHECK(paused.status == 200);
  CHECK(server.ask("GET", "/v1/schedules/nightly").json()["pause_reason"] == "maintenance");
  const auto triggered = server.ask("POST", "/v1/schedules/nightly:trigger").json();
  const auto ran = schedule_when(server, "nightly", [](const Json& one) { return one["last"].size() == 1; })["last"][0];
  CHECK(ran["chain_id"] == triggered["chain_id"]);
  CHECK(ran["kind"] == "trigger");
  CHECK(server.ask("GET", "/v1/chains/" + triggered["chain_id"].get<std::string>()).json()["response"]["x"] == 1);
  CHECK(server.ask("POST", "/v1/schedules/nightly:resume").status == 200);
  CHECK(server.ask("POST", "/v1/schedules/nightly:backfill?validate_only=true", R"({"from": "2026-01-01", "until": "2026-01-02"})").status == 422);
  const auto audited = server.ask("GET", "/v1/audit?subject=nightly").json();
  CHECK(audited["entries"].size() >= 4);
  CHECK(server.ask("DELETE", "/v1/schedules/nightly", {}, "If-Match: \"v1\"\r\n").status == 412);
  CHECK(server.ask("DELETE", "/v1/schedules/nightly?validate_only=true").json()["would"] == "remove_schedule");
  CHECK(server.ask("DELETE", "/v1/schedules/nightly").json() == Json{{"name", "nightly"}, {"removed", true}});
  CHECK(server.ask("DELETE", "/v1/schedules/nightly").status == 404);

  // one that follows takes the newest version of the definition, and says why where that does not fit any more
  const auto store = [&](const std::string& text) { return server.ask("PUT", "/v1/definitions/team%2Fecho", Json{{"text", text}}.dump()).status; };
  CHECK(store(kEchoes) == 200);
  CHECK(server.ask("PUT", "/v1/schedules/f", R"({"every": "1h", "follow": true, "name": "nobody/has/it"})").status == 422);
  REQUIRE(server.ask("PUT", "/v1/schedules/f", R"({"every": "1h", "follow": true, "name": "team/echo", "arguments": {"x": 2}})").status == 200);
  REQUIRE(server.ask("PUT", "/v1/schedules/p", R"({"every": "1h", "name": "team/echo", "arguments": {"x": 3}})").status == 200);
  CHECK(store(R"({"system_event_endpoint": "builtin:echo", "arguments": [{"name": "y", "type_name": "string", "required": true}]})") == 200);
  CHECK(server.ask("POST", "/v1/schedules/f:trigger").status == 200);
  CHECK(server.ask("POST", "/v1/schedules/p:trigger").status == 200);
  const auto refused = schedule_when(server, "f", [](const Json& one) { return one["runs"]["refused"] == 1; });
  CHECK(refused["last"][0]["status"] == "refused");
  CHECK(refused["last"][0]["error"].get<std::string>().find("'x'") != std::string::npos);
  const auto pinned = schedule_when(server, "p", [](const Json& one) { return one["last"].size() == 1; });
  CHECK(pinned["last"][0]["status"] == "succeeded");
}

TEST_CASE("schedules: each second, over five kills, each due time becomes what the policy says, and that once") {
  // more of them, for who wants to look longer: a minute, say
  const auto* const more = std::getenv("CATENA_TEST_DUE_TIMES");
  const std::size_t due_times = more == nullptr ? 5 : std::stoul(more);
  const Folder folder;
  auto server = std::make_unique<Server>(folder);
  REQUIRE(server->ask("PUT", "/v1/schedules/tick", schedule_of(R"("every": "1s", "overlap": "queue")")).status == 200);
  // its runs take longer than it is until the next is due
  REQUIRE(server->ask("PUT", "/v1/schedules/busy", R"({"every": "1s", "overlap": "skip", "name": "wait", "arguments": {"for": "1500ms"}})").status ==
          200);
  for (std::size_t kill = 0; kill < 5; ++kill) {
    const auto begun = server->ask("GET", "/v1/schedules/tick").json()["runs"]["begun"].get<std::size_t>();
    schedule_when(*server, "tick", [&](const Json& one) { return one["runs"]["begun"].get<std::size_t>() > begun + due_times / 6; });
    server->process().kill(SIGKILL);
    server->process().wait();
    server = std::make_unique<Server>(folder);
  }
  schedule_when(*server, "tick", [&](const Json& one) { return one["runs"]["begun"].get<std::size_t>() >= due_times; });
  const auto at_rest = [&](const std::string& name) {
    REQUIRE(server->ask("POST", "/v1/schedules/" + name + ":pause").status == 200);
    return schedule_when(*server, name, [](const Json& one) { return one["running"].empty() && one["waiting"] == 0; });
  };
  const auto tick = at_rest("tick");
  CHECK(tick["runs"]["missed"] == 0);
  CHECK(tick["runs"]["skipped"] == 0);
  CHECK(tick["runs"]["refused"] == 0);
  const auto ticks = chains_of_schedule(*server, "tick");
  REQUIRE(ticks.size() >= due_times);
  CHECK(tick["runs"]["begun"] == ticks.size());
  auto due = due_time_of(*ticks.begin());
  for (const auto& id : ticks) {
    CHECK(id == engine::chain_of_run("tick", due));
    due += 1000;
  }
  const auto busy = at_rest("busy");
  CHECK(busy["runs"]["missed"] == 0);
  CHECK(busy["runs"]["refused"] == 0);
  const auto runs = chains_of_schedule(*server, "busy");
  REQUIRE(runs.size() >= 2);
  CHECK(busy["runs"]["begun"] == runs.size());
  // the due times between the first run and the last that has or is to have none
  const auto last = std::max(due_time_of(*runs.rbegin()), parse_iso8601(busy.value("last_skipped", "1970-01-01T00:00:00Z")).value());
  CHECK(static_cast<std::size_t>((last - due_time_of(*runs.begin())) / 1000 + 1) == runs.size() + busy["runs"]["skipped"].get<std::size_t>());
  std::string ended;
  for (const auto& id : runs) {
    const auto run = server->ask("GET", "/v1/chains/" + id).json();
    CHECK(run["status"] == "succeeded");
    CHECK(run["started_at"].get<std::string>() >= ended);
    ended = run["finished_at"].get<std::string>();
  }
}

}  // namespace catena::api::test
