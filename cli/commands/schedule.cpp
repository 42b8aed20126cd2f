// catena schedule VERB: chains that begin by themselves when they are due.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/iso8601.hpp"
#include "base/span_text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "cli/submission.hpp"
#include "cli/verbs.hpp"
#include "client/records.hpp"
#include "coordinator/schedule_records.hpp"

namespace catena::cli {
namespace {

struct ScheduleOptions {
  Place place;
  SubmissionOptions submission;
  std::string name;
  std::string cron;
  std::string timezone;
  Millis every{0};
  Millis catchup = engine::kCatchupByDefault;
  std::string overlap;
  std::string if_version;
  std::string reason;
  std::string from;
  std::string until;
  std::vector<std::string> labels;
  std::string namespace_;
  bool follow = false;
  bool replace = false;
  bool check = false;
  Form form = Form::table;
};

std::string when_text(const engine::SchedulePlan& plan) {
  if (plan.cron.empty()) return fmt::format("every {}", to_string(Millis{plan.every_ms}));
  return plan.timezone.empty() ? plan.cron : fmt::format("{} ({})", plan.cron, plan.timezone);
}

std::string state_text(const engine::ScheduleState& state) {
  if (state.paused) return "paused";
  return state.active.empty() ? "waiting" : "running";
}

/// Its port, to tell it something.
template <class Tell>
ExitCode tell_keeper(const ScheduleOptions& options, Console& console, const Tell& tell) {
  const auto port = open_chains(options.place, 0, console);
  if (!port) return report(console, port.error());
  const Result<actors::ScheduleDone> done = tell(**port);
  if (!done) return report(console, done.error());
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(client::to_json(*done)), done->chain.empty() ? done->name : done->chain.value, console);
    return ExitCode::ok;
  }
  if (!done->chain.empty()) {
    console.out().line(done->chain.value);
  } else if (done->runs != 0) {
    console.out().line(fmt::format("{} runs are ordered", done->runs));
  } else {
    console.out().line(done->version.empty() ? fmt::format("{} is deleted", done->name) : fmt::format("{} {}", done->name, done->version));
  }
  if (!(*port)->elsewhere() && !done->version.empty()) console.say("runs begin when a coordinator has this data directory");
  return ExitCode::ok;
}

// ---- create -------------------------------------------------------------------------------------------------------------

Result<engine::SchedulePlan> plan_of(const ScheduleOptions& options, UnixMillis now) {
  engine::SchedulePlan plan;
  plan.cron = options.cron;
  plan.timezone = options.timezone;
  plan.every_ms = options.every.count();
  plan.anchor = now;
  plan.catchup_ms = options.catchup.count();
  if (!options.overlap.empty()) plan.overlap = engine::overlap_named(options.overlap).value_or(engine::Overlap::skip);
  if (const auto timetable = engine::timetable_of(plan); !timetable) return fail(timetable.error());
  return plan;
}

void tell_due_times(const engine::SchedulePlan& plan, UnixMillis now, Console& console) {
  constexpr int kShown = 3;
  const auto timetable = engine::timetable_of(plan);
  if (!timetable) return;
  std::vector<std::string> times;
  for (auto due = timetable->next_after(now); due && times.size() < kShown; due = timetable->next_after(*due)) times.push_back(iso8601(*due));
  if (times.empty()) return console.say("it is never due");
  console.say(fmt::format("due at {}, and so on", fmt::join(times, ", ")));
}

ExitCode create_schedule(const ScheduleOptions& options, Console& console) {
  if (auto right = engine::check_schedule_name(options.name); !right) return report(console, right.error());
  const auto plan = plan_of(options, console.now());
  if (!plan) return report(console, plan.error());
  const auto target = target_of(options.place);
  if (!target) return report(console, target.error());
  auto wanted = in_namespace(options.submission, target->namespace_());
  wanted.id = options.name;  // each run has an id of its own, which begins so
  auto work = prepare_submission(wanted, target->is_elsewhere() ? RunsAt::cluster : RunsAt::here, stored_at(options.place, console), console);
  if (!work) return ExitCode::usage;
  const Interrupt interrupt;
  work->trace = {};
  actors::PutSchedule put;
  put.name = options.name;
  put.plan = *plan;
  put.definition = options.submission.definition;
  put.follow = options.follow;
  put.only_check = options.check;
  if (options.if_version != "") {
    put.expected = options.if_version == "new" ? std::string{} : options.if_version;
  } else if (!options.replace) {
    put.expected = std::string{};
  }
  put.work = std::make_shared<const actors::Submission>(std::move(*work));
  const auto code = tell_keeper(options, console, [&](client::ChainsPort& port) { return port.put_schedule(put); });
  if (code == ExitCode::ok && for_people(options.form)) tell_due_times(*plan, console.now(), console);
  return code;
}

// ---- list, show ---------------------------------------------------------------------------------------------------------

ExitCode list_all_schedules(const ScheduleOptions& options, Console& console) {
  const Interrupt interrupt;
  coordinator::ListSchedules ask;
  ask.pattern = options.name;
  auto labels = chain_labels(options.labels);
  if (!labels) return report(console, labels.error());
  ask.labels = std::move(*labels);
  auto of = namespace_or_given(options.place, options.namespace_);
  if (!of) return report(console, of.error());
  ask.namespace_ = std::move(*of);
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  RecordPrinter printer{options.form,
                        "name",
                        {{.title = "NAME", .shortens = true},
                         {.title = "WHEN", .shortens = true},
                         {.title = "DEFINITION", .shortens = true, .leaves = 1},
                         {.title = "STATE"},
                         {.title = "NEXT"},
                         {.title = "LAST", .leaves = 2},
                         {.title = "RUNS", .leaves = 3},
                         {.title = "MISSED", .leaves = 4}},
                        console};
  do {
    const auto page = shelf->questions->ask(ask);
    if (!page) return report(console, page.error());
    for (const auto& row : page->rows) {
      const bool wanted = printer.add([&] { return client::to_json(row); },
                                      [&]() -> Cells {
                                        const auto& state = row.state;
                                        return {row.name,
                                                when_text(state.plan),
                                                row.definition,
                                                row.problem.empty() ? state_text(state) : "cannot be read",
                                                row.next.empty() ? std::string{} : iso8601(row.next.front()),
                                                state.past.empty() ? std::string{} : state.past.back().outcome,
                                                std::to_string(state.counts.begun),
                                                std::to_string(state.counts.missed)};
                                      });
      if (!wanted) break;
    }
    if (Interrupt::requested()) return ExitCode::interrupted;
    ask.after = page->next;
  } while (!ask.after.empty() && !console.out().closed());
  printer.finish();
  if (for_people(options.form) && printer.count() == 0) console.say("there are no schedules; `catena schedule create NAME DEF --cron …` makes one");
  return ExitCode::ok;
}

void show_runs(const coordinator::ScheduleRow& row, Console& console) {
  RecordPrinter printer{Form::table,
                        "chain_id",
                        {{.title = "CHAIN"}, {.title = "KIND"}, {.title = "STATUS"}, {.title = "ENDED"}, {.title = "ERROR", .shortens = true}},
                        console};
  const auto none = [] { return Json::object(); };
  for (const auto& run : row.state.active) {
    printer.add(none, [&]() -> Cells {
      return {engine::chain_of_run(row.name, run.at), std::string{engine::name(run.kind)},
              run.ending  ? "cancelling"
              : run.begun ? "running"
                          : "beginning",
              std::string{}, std::string{}};
    });
  }
  for (auto run = row.state.past.rbegin(); run != row.state.past.rend(); ++run) {
    printer.add(none, [&]() -> Cells {
      return {engine::chain_of_run(row.name, run->at), std::string{engine::name(run->kind)}, run->outcome, iso8601(run->ended_at), run->error};
    });
  }
  printer.finish();
}

void show_for_people(const coordinator::ScheduleRow& row, Console& console) {
  auto& out = console.out();
  const auto& state = row.state;
  const auto& plan = state.plan;
  out.line(fmt::format("{} {}: {}{}, {}", row.name, row.version, printable(row.definition), row.follow ? " (newest version)" : "", when_text(plan)));
  const auto deadline = row.deadline.empty() ? std::string{} : ", deadline of each run " + printable(row.deadline);
  out.line(fmt::format("overlap {}, catch-up {}{}", engine::name(plan.overlap), span_text(Millis{plan.catchup_ms}), deadline));
  if (state.paused) {
    out.line(fmt::format("paused since {}{}{}{}{}", iso8601(state.paused_at), state.paused_by.empty() ? "" : " by ", printable(state.paused_by),
                         state.pause_reason.empty() ? "" : ": ", printable(state.pause_reason)));
  }
  std::uint64_t waiting = state.by_hand.size();
  for (const auto& span : state.waiting) waiting += span.runs;
  const auto& counts = state.counts;
  out.line(fmt::format("runs: {} begun, {} skipped, {} missed, {} refused; {} waiting", counts.begun, counts.skipped, counts.missed, counts.refused,
                       waiting));
  if (state.last_missed != 0) out.line(fmt::format("last missed: {}", iso8601(state.last_missed)));
  for (const auto due : row.next) out.line(fmt::format("next: {}", iso8601(due)));
  if (!state.active.empty() || !state.past.empty()) show_runs(row, console);
}

ExitCode show_schedule(const ScheduleOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto told = shelf->questions->ask(coordinator::ReadSchedule{.name = options.name});
  if (!told) return report(console, told.error());
  if (!told->row) return report(console, coordinator::no_schedule(options.name));
  if (for_people(options.form)) {
    show_for_people(*told->row, console);
  } else {
    print_record(options.form, dump_lossy(client::to_json(*told->row)), options.name, console);
  }
  return ExitCode::ok;
}

// ---- orders -------------------------------------------------------------------------------------------------------------

ExitCode order(const ScheduleOptions& options, actors::ScheduleVerb verb, Console& console) {
  const Interrupt interrupt;
  actors::OrderSchedule what;
  what.name = options.name;
  what.verb = verb;
  what.reason = options.reason;
  if (!options.if_version.empty()) what.expected = options.if_version;
  if (verb == actors::ScheduleVerb::backfill) {
    const auto from = parse_iso8601(options.from);
    const auto until = options.until.empty() ? std::optional{console.now()} : parse_iso8601(options.until);
    if (!from || !until) return report(console, make_error(Code::usage, "--from and --until are times of ISO 8601, such as 2026-11-25T02:00:00Z"));
    what.from = *from;
    what.until = *until;
  }
  return tell_keeper(options, console, [&](client::ChainsPort& port) { return port.order_schedule(what); });
}

ExitCode pause_schedule(const ScheduleOptions& options, Console& console) { return order(options, actors::ScheduleVerb::pause, console); }
ExitCode resume_schedule(const ScheduleOptions& options, Console& console) { return order(options, actors::ScheduleVerb::resume, console); }
ExitCode trigger_schedule(const ScheduleOptions& options, Console& console) { return order(options, actors::ScheduleVerb::trigger, console); }
ExitCode backfill_schedule(const ScheduleOptions& options, Console& console) { return order(options, actors::ScheduleVerb::backfill, console); }
ExitCode delete_schedule(const ScheduleOptions& options, Console& console) { return order(options, actors::ScheduleVerb::remove, console); }

// ---- options ------------------------------------------------------------------------------------------------------------

void add_schedule_name(CLI::App& app, ScheduleOptions& options) {
  app.add_option("name", options.name, "the schedule")->required()->option_text("NAME");
}

void define_schedule_create(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  add_submission(app, options.submission);
  // of each run the schedule makes its own
  for (const auto* of_one : {"--id", "--idempotency-key", "--traceparent"}) app.remove_option(app.get_option(of_one));
  app.add_option("--notify", options.submission.notify, "who is told what becomes of each run, as with submit; may be given several times")
      ->allow_extra_args(false)
      ->option_text("WEBHOOK");
  auto* const cron =
      app.add_option("--cron", options.cron, "when it is due: five fields, or six with seconds first, or @daily and the like")->option_text("EXPR");
  auto* const every = add_duration(
      app, "--every", "when it is due: so long after it was made, and again and again", [&options](Millis span) { options.every = span; },
      engine::kIntervalMost);
  every->excludes(cron);
  app.add_option("--timezone", options.timezone, "whose clocks --cron means, such as Europe/Berlin or +02:00 (default: UTC)")
      ->option_text("ZONE")
      ->excludes(every);
  app.add_option("--overlap", options.overlap, "what becomes of a due time that comes while a run goes on (default: skip)")
      ->check(CLI::IsMember({"skip", "queue", "allow", "cancel"}))
      ->option_text("skip|queue|allow|cancel");
  add_duration(
      app, "--catchup", "how late a run may begin that was missed (default: 1h)", [&options](Millis span) { options.catchup = span; },
      engine::kIntervalMost);
  app.add_flag("--follow", options.follow, "each run takes the newest version of the stored definition DEF (default: as it is now)");
  app.add_flag("--replace", options.replace, "also where there is a schedule of this name: it has this in its place");
  app.add_option("--if-version", options.if_version, "only where it is at this version; new: where there is none")->option_text("vN|new");
  app.add_flag("--check", options.check, "say what is wrong, and make nothing");
  add_text_output(app, options.form, "the name of the schedule");
}

void define_schedule_list(CLI::App& app, ScheduleOptions& options) {
  app.add_option("name", options.name, "only schedules whose names fit this pattern (`*` and `?`)")->option_text("NAME");
  app.add_option("--label", options.labels, "only those whose runs have this label; may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--namespace", options.namespace_, "only those of this namespace")->option_text("NAME");
  add_record_output(app, options.form, "the names of schedules");
}

void define_schedule_show(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  add_text_output(app, options.form, "the name of the schedule");
}

void define_schedule_order(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  add_reason(app, options.reason);
  add_text_output(app, options.form, "the name of the schedule");
}

void define_schedule_trigger(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  add_reason(app, options.reason);
  add_text_output(app, options.form, "the id of the run's chain");
}

void define_schedule_backfill(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  app.add_option("--from", options.from, "the first time, in ISO 8601")->required()->option_text("TIME");
  app.add_option("--until", options.until, "the last time (default: now)")->option_text("TIME");
  add_reason(app, options.reason);
  add_text_output(app, options.form, "the name of the schedule");
}

void define_schedule_delete(CLI::App& app, ScheduleOptions& options) {
  add_schedule_name(app, options);
  app.add_option("--if-version", options.if_version, "only where it is at this version")->option_text("vN");
  add_reason(app, options.reason);
  add_text_output(app, options.form, "the name of the schedule");
}

constexpr CommandVerb<ScheduleOptions> kScheduleVerbs[]{
    {"create", "make a schedule: a definition, and when it is due", define_schedule_create, create_schedule},
    {"list", "list schedules, and when each is due next", define_schedule_list, list_all_schedules},
    {"show", "show one: due times to come, the last runs, what was skipped and missed", define_schedule_show, show_schedule},
    {"pause", "let due times go by for a while", define_schedule_order, pause_schedule},
    {"resume", "let a paused schedule begin runs again", define_schedule_order, resume_schedule},
    {"trigger", "begin a run now", define_schedule_trigger, trigger_schedule},
    {"backfill", "give due times of the past the run that they do not have", define_schedule_backfill, backfill_schedule},
    {"delete", "delete a schedule; its runs that go on do so", define_schedule_delete, delete_schedule},
};

}  // namespace

Action define_schedule(CLI::App& app) {
  return define_verbs<ScheduleOptions>(app, kScheduleVerbs, [](CLI::App& verb, ScheduleOptions& options) { add_place(verb, options.place); });
}

}  // namespace catena::cli
