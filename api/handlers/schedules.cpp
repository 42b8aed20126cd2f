// Schedules: chains that begin when they are due.
#include <fmt/format.h>

#include <utility>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/handlers/versions.hpp"
#include "api/reach.hpp"
#include "api/submission.hpp"
#include "base/iso8601.hpp"
#include "client/records.hpp"
#include "coordinator/schedule_records.hpp"

namespace catena::api {
namespace {

/// Nobody asked to have it found: what the path names is not there.
const std::string& schedule_named(const Asked& asked) { return asked.path.at("name"); }

Millis span_of_member(Members& members, std::string_view member, Millis otherwise) {
  const auto text = members.text(member);
  if (text.empty()) return otherwise;
  const auto span = parse_duration(text);
  if (!span) members.wrong(make_error(Code::field_value, fmt::format("'{}' must be a span of time such as 30s, 5m or 1h", member)), member);
  return span.value_or(otherwise);
}

UnixMillis time_of_member(Members& members, std::string_view member) {
  const auto at = parse_iso8601(members.text(member, true));
  if (!at) members.wrong(make_error(Code::field_value, fmt::format("'{}' must be a time of ISO 8601, such as 2026-11-25T02:00:00Z", member)), member);
  return at.value_or(0);
}

/// Of a plan that is not right.
std::string_view wrong_member_of(engine::SchedulePlan plan) {
  const auto is_right = [&plan] { return engine::timetable_of(plan).has_value(); };
  plan.catchup_ms = 0;
  if (is_right()) return "catchup";
  plan.timezone.clear();
  if (is_right()) return "timezone";
  return !plan.cron.empty() && plan.every_ms == 0 ? "cron" : plan.cron.empty() && plan.every_ms != 0 ? "every" : "";
}

engine::SchedulePlan plan_in(Members& members, UnixMillis now) {
  engine::SchedulePlan plan;
  plan.cron = members.text("cron");
  plan.timezone = members.text("timezone");
  plan.every_ms = span_of_member(members, "every", Millis{0}).count();
  plan.anchor = now;
  plan.catchup_ms = span_of_member(members, "catchup", engine::kCatchupByDefault).count();
  const auto overlap = members.text("overlap");
  if (!overlap.empty()) {
    const auto known = engine::overlap_named(overlap);
    if (!known)
      members.wrong(make_error(Code::field_value, fmt::format("'overlap' must be skip, queue, allow or cancel, and is '{}'", overlap)), "overlap");
    plan.overlap = known.value_or(engine::Overlap::skip);
  }
  if (const auto timetable = engine::timetable_of(plan); !timetable) members.wrong(timetable.error(), wrong_member_of(plan));
  return plan;
}

/// The definition's name in the body; of one that has none, that of what it came to.
std::string definition_shown(const Asked& asked, const lang::Package& package) {
  const auto* name = asked.body->root().find("name");
  return name != nullptr && name->kind == lang::JsonKind::string ? name->scalar.get<std::string>() : package.main().name;
}

Worked order_errand(const Asked& asked, actors::ScheduleVerb verb, std::string reason) {
  actors::OrderSchedule order;
  order.name = schedule_named(asked);
  order.verb = verb;
  order.reason = std::move(reason);
  order.namespace_ = asked.namespace_;
  order.by = asked.by.name;
  return Errand{std::move(order)};
}

/// An order that says nothing but why.
Worked plain_order(const Asked& asked, actors::ScheduleVerb verb) {
  Members members{asked.body->root()};
  auto reason = members.text("reason");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return order_errand(asked, verb, std::move(reason));
}

}  // namespace

Worked list_schedules(const Asked& asked, const Means& means) {
  coordinator::ListSchedules ask;
  ask.after = asked.text("cursor");
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.pattern = asked.text("name");
  auto of = namespace_meant(asked.namespace_, asked.text("namespace"));
  if (!of) return refuse(std::move(of).error());
  ask.namespace_ = std::move(*of);
  if (const auto label = asked.text("label"); !label.empty()) {
    const auto is = label.find('=');
    if (is == std::string::npos) return refuse(Code::request_invalid, "the parameter 'label' must be KEY=VALUE");
    ask.labels[label.substr(0, is)] = label.substr(is + 1);
  }
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  Json json{{"schedules", Json::array()}};
  for (const auto& row : page->rows) json["schedules"].push_back(client::to_json(row));
  if (!page->next.empty()) json["cursor"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked tell_schedule(const Asked& asked, const Means& means) {
  coordinator::ReadSchedule ask{.name = schedule_named(asked), .namespace_ = asked.namespace_};
  ask.due_times = static_cast<std::uint32_t>(asked.whole("due_times", ask.due_times));
  const auto told = means.questions.ask(ask);
  if (!told) return refuse(told.error());
  if (!told->row) return refuse(coordinator::no_schedule(ask.name));
  auto answer = json_answer(client::to_json(*told->row));
  answer.headers.emplace_back("ETag", entity_tag(told->row->version));
  return answer;
}

Worked put_schedule(const Asked& asked, const Means& means) {
  actors::PutSchedule put;
  put.name = schedule_named(asked);
  if (auto right = engine::check_schedule_name(put.name); !right) return refuse(std::move(right).error());
  auto expected = expected_version(asked);
  if (!expected) return refuse(std::move(expected).error());
  put.expected = std::move(*expected);
  Members members{asked.body->root()};
  put.plan = plan_in(members, means.clock.now());
  put.follow = members.flag("follow");
  if (put.follow && (members.any("definition") != nullptr || members.text("name").empty()))
    members.wrong(make_error(Code::field_value, "'follow' is for a stored definition: give its 'name', and no 'definition'"), "follow");
  for (const auto* member : {"id", "traceparent", "tracestate"}) {
    if (members.any(member) != nullptr)
      members.wrong(make_error(Code::field_unknown, fmt::format("a schedule has no '{}': each of its runs has its own", member)), member);
  }
  const auto shelf = means.definitions();
  if (!shelf) return refuse(shelf.error());
  PinnedBook book{means.known};
  auto read = read_submission(*asked.body, members, {.namespace_ = asked.namespace_}, *shelf, book);
  if (!read) return refuse(std::move(read).error());
  put.definition = definition_shown(asked, *read->submission.package);
  put.work = std::make_shared<const actors::Submission>(std::move(*read).whole());
  put.namespace_ = asked.namespace_;
  put.by = asked.by.name;
  return Errand{std::move(put)};
}

Worked remove_schedule(const Asked& asked, const Means&) {
  auto expected = expected_version(asked);
  if (!expected) return refuse(std::move(expected).error());
  auto worked = order_errand(asked, actors::ScheduleVerb::remove, asked.text("reason"));
  std::get<actors::OrderSchedule>(std::get<Errand>(*worked).what).expected = std::move(*expected);
  return worked;
}

Worked pause_schedule(const Asked& asked, const Means&) { return plain_order(asked, actors::ScheduleVerb::pause); }
Worked resume_schedule(const Asked& asked, const Means&) { return plain_order(asked, actors::ScheduleVerb::resume); }
Worked trigger_schedule(const Asked& asked, const Means&) { return plain_order(asked, actors::ScheduleVerb::trigger); }

Worked backfill_schedule(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  const auto from = time_of_member(members, "from");
  const auto until = time_of_member(members, "until");
  auto reason = members.text("reason");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  auto worked = order_errand(asked, actors::ScheduleVerb::backfill, std::move(reason));
  auto& order = std::get<actors::OrderSchedule>(std::get<Errand>(*worked).what);
  order.from = from;
  order.until = until;
  return worked;
}

}  // namespace catena::api
