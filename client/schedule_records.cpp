// Schedules as JSON.
#include <utility>

#include "client/records.hpp"

namespace catena::client {
namespace {

void add_time(Json& json, const char* name, UnixMillis at) {
  if (at != 0) json[name] = iso8601(at);
}

Json plan_json(const engine::SchedulePlan& plan) {
  Json json = Json::object();
  if (plan.cron.empty()) {
    json["every"] = to_string(Millis{plan.every_ms});
  } else {
    json["cron"] = plan.cron;
    json["timezone"] = plan.timezone.empty() ? "UTC" : plan.timezone;
  }
  json["overlap"] = engine::name(plan.overlap);
  json["catchup"] = to_string(Millis{plan.catchup_ms});
  return json;
}

Json run_json(const std::string& schedule, const engine::ScheduledRun& run) {
  return {{"chain_id", engine::chain_of_run(schedule, run.at)},
          {"at", iso8601(run.at)},
          {"kind", engine::name(run.kind)},
          {"status", run.ending  ? "cancelling"
                     : run.begun ? "running"
                                 : "beginning"}};
}

Json past_json(const std::string& schedule, const engine::PastRun& run) {
  Json json{{"chain_id", engine::chain_of_run(schedule, run.at)},
            {"at", iso8601(run.at)},
            {"kind", engine::name(run.kind)},
            {"status", run.outcome},
            {"ended_at", iso8601(run.ended_at)}};
  if (!run.error.empty()) json["error"] = run.error;
  return json;
}

}  // namespace

Json to_json(const coordinator::ScheduleRow& row) {
  const auto& state = row.state;
  Json json{{"name", row.name}, {"version", row.version}, {"definition", row.definition}, {"follow", row.follow}};
  if (!row.problem.empty()) json["problem"] = row.problem;
  if (!row.package.empty()) json["package"] = row.package;
  json.update(plan_json(state.plan));
  json["labels"] = row.labels;
  json["priority"] = row.priority;
  if (!row.deadline.empty()) json["deadline"] = row.deadline;
  if (!row.arguments.empty()) json["arguments"] = Json::parse(row.arguments, nullptr, false);
  if (!row.context.empty()) json["context"] = Json::parse(row.context, nullptr, false);
  add_time(json, "created_at", row.created_at);
  add_time(json, "changed_at", row.changed_at);
  if (!row.changed_by.empty()) json["changed_by"] = row.changed_by;
  json["paused"] = state.paused;
  if (state.paused) {
    add_time(json, "paused_at", state.paused_at);
    if (!state.paused_by.empty()) json["paused_by"] = state.paused_by;
    if (!state.pause_reason.empty()) json["pause_reason"] = state.pause_reason;
  }
  const auto& counts = state.counts;
  json["runs"] = {{"begun", counts.begun}, {"skipped", counts.skipped}, {"missed", counts.missed}, {"refused", counts.refused}};
  add_time(json, "last_missed", state.last_missed);
  add_time(json, "last_skipped", state.last_skipped);
  std::uint64_t waiting = state.by_hand.size();
  for (const auto& span : state.waiting) waiting += span.runs;
  json["waiting"] = waiting;
  json["running"] = Json::array();
  for (const auto& run : state.active) json["running"].push_back(run_json(row.name, run));
  json["last"] = Json::array();
  for (auto run = state.past.rbegin(); run != state.past.rend(); ++run) json["last"].push_back(past_json(row.name, *run));
  json["next"] = Json::array();
  for (const auto due : row.next) json["next"].push_back(iso8601(due));
  return json;
}

Json to_json(const actors::ScheduleDone& done) {
  Json json{{"name", done.name}};
  if (!done.version.empty()) json["version"] = done.version;
  if (!done.chain.empty()) json["chain_id"] = done.chain.value;
  if (done.runs != 0) json["runs"] = done.runs;
  if (done.version.empty()) json["removed"] = true;
  return json;
}

}  // namespace catena::client
