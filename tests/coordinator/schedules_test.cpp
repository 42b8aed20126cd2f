// Schedules in a coordinator: what begins when, what is left of it when the power fails, and who may say what.
#include <catch2/catch.hpp>

#include <set>

#include "coordinator/collection.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/schedule_records.hpp"
#include "coordinator/verify.hpp"
#include "storage/chain_summary.hpp"
#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::Overlap;

constexpr Millis kOneSecond{1000};

Pinned scheduled_work() {
  return pin(composite({step("one", R"("arguments": {"x": "REF:arguments.x"})")}, R"("response_reference_map": {"x": "REF:one.x"})"));
}

actors::PutSchedule each_second_run(const std::string& name, Overlap overlap, ChainLabels labels = {}) {
  static const auto package = scheduled_work();
  actors::Submission work;
  work.package = package;
  work.definition = package->root;
  work.arguments = engine::inline_payload(R"({"x": 7})");
  work.labels = std::move(labels);
  actors::PutSchedule put;
  put.name = name;
  put.plan.every_ms = 1000;
  put.plan.overlap = overlap;
  put.plan.catchup_ms = 3'600'000;
  put.work = std::make_shared<const actors::Submission>(std::move(work));
  put.definition = "work";
  put.by = "ann";
  return put;
}

/// Somebody who makes schedules, beside the fixture's own client.
struct ScheduleClient {
  explicit ScheduleClient(Fixture& with) : f{with}, self{with.system} { begin(); }

  /// Of each start: chains that had not ended go on, and runs begin from now on.
  void begin() {
    const auto chains = unfinished_chains(f.kv).value();
    for (const auto& chain : chains) f.resume(chain.value);
    self->send(f.services()->schedules, actors::BeginSchedules{});
    f.run();
  }
  template <class Asked>
  actors::ScheduleDone ask(Asked asked) {
    self->send(f.services()->schedules, std::move(asked));
    f.run();
    actors::ScheduleDone done;
    bool answered = false;
    self->receive(
        [&](actors::ScheduleDone& answer) {
          done = std::move(answer);
          answered = true;
        },
        caf::after(std::chrono::seconds{0}) >> [] {});
    CHECK(answered);
    return done;
  }
  actors::ScheduleDone order(const std::string& name, actors::ScheduleVerb verb) { return ask(actors::OrderSchedule{.name = name, .verb = verb}); }

  Fixture& f;
  caf::scoped_actor self;
};

ScheduleRow schedule_told(const Fixture& f, const std::string& name) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto answer = inspector.answer(ReadSchedule{.name = name}).value();
  REQUIRE(answer.row.has_value());
  return *answer.row;
}

std::set<std::string> chains_of_schedule(const Fixture& f, const std::string& schedule) {
  std::set<std::string> ids;
  storage::SummaryFilter filter;
  filter.labels = {std::string{kScheduleLabel} + "=" + schedule};
  REQUIRE(storage::list_summaries(f.kv, filter, [&](const storage::ChainSummary& summary) {
    if (summary.parent.empty()) ids.insert(summary.id.value);
    return true;
  }));
  return ids;
}

/// The ids of the runs of `count` due times behind `from`.
std::set<std::string> due_runs(const std::string& schedule, UnixMillis from, int count) {
  std::set<std::string> ids;
  for (int second = 1; second <= count; ++second) ids.insert(engine::chain_of_run(schedule, from / 1000 * 1000 + second * 1000));
  return ids;
}

}  // namespace

TEST_CASE("a schedule begins a chain at each due time, with its label, and says what became of it") {
  Fixture f;
  ScheduleClient s{f};
  const auto from = f.now();
  const auto done = s.ask(each_second_run("nightly", Overlap::queue, {{"team", "red"}}));
  CHECK_FALSE(done.error);
  CHECK(done.version == "v1");
  for (int second = 0; second < 3; ++second) f.advance(kOneSecond);
  CHECK(chains_of_schedule(f, "nightly") == due_runs("nightly", from, 3));
  const auto row = schedule_told(f, "nightly");
  CHECK(row.state.counts.begun == 3);
  REQUIRE(row.state.past.size() == 3);
  CHECK(row.state.past.back().outcome == "succeeded");
  CHECK(row.next.size() == 5);
  CHECK(row.labels == ChainLabels{{"team", "red"}});
  CHECK(row.arguments == R"({"x": 7})");
  CHECK(row.changed_by == "ann");
  const auto run = *chains_of_schedule(f, "nightly").begin();
  CHECK(f.state(run).labels == ChainLabels{{"schedule", "nightly"}, {"team", "red"}});
  CHECK(verify_store(f.kv, kCatalog).value().problems == Words{});
}

TEST_CASE("each run of a schedule has the schedule's deadline, which begins with it") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("nightly", Overlap::queue);
  auto work = *put.work;
  work.deadline = {.within = Millis{5000}};
  put.work = std::make_shared<const actors::Submission>(work);
  CHECK_FALSE(s.ask(put).error);
  f.advance(kOneSecond);
  const auto run = *chains_of_schedule(f, "nightly").begin();
  CHECK(f.state(run).deadline_at == f.state(run).started_at + 5000);
  work.deadline = {.at = f.now() + 5000};
  put.work = std::make_shared<const actors::Submission>(work);
  put.name = "once";
  const auto refused = s.ask(put);
  REQUIRE(refused.error);
  CHECK(refused.error->code == Code::field_value);
}

TEST_CASE("nothing is due before a coordinator has begun, and what was ordered begins then") {
  Fixture f;
  caf::scoped_actor self{f.system};
  self->send(f.services()->schedules, each_second_run("early", Overlap::skip));
  self->send(f.services()->schedules, actors::OrderSchedule{.name = "early", .verb = actors::ScheduleVerb::trigger});
  for (int second = 0; second < 3; ++second) f.advance(kOneSecond);
  CHECK(chains_of_schedule(f, "early").empty());
  self->send(f.services()->schedules, actors::BeginSchedules{});
  f.run();
  CHECK(chains_of_schedule(f, "early").size() >= 1);
}

TEST_CASE("wherever the power fails, each due time has its run, and one run only") {
  for (const auto overlap : {Overlap::queue, Overlap::allow}) {
    std::size_t crashes = 0;
    for (std::size_t at = 1; at < 160; at += 3) {
      INFO(engine::name(overlap) << " " << at);
      Fixture f;
      ScheduleClient s{f};
      const auto from = f.now();
      REQUIRE_FALSE(s.ask(each_second_run("work", overlap)).error);
      f.scheduler.advance_time(kOneSecond);
      const bool all_done = f.run_messages(at) < at;
      f.crash();
      ++crashes;
      s.begin();
      for (int second = 0; second < 3; ++second) f.advance(kOneSecond);
      const auto ids = chains_of_schedule(f, "work");
      CHECK(ids == due_runs("work", from, 4));
      const auto row = schedule_told(f, "work");
      CHECK(row.state.active.empty());
      CHECK(row.state.counts.begun == 4);
      CHECK(row.state.counts.missed + row.state.counts.skipped + row.state.counts.refused == 0);
      CHECK(verify_store(f.kv, kCatalog).value().problems == Words{});
      if (all_done) break;
    }
    CHECK(crashes > 10);
  }
}

TEST_CASE("due times of a downtime run within the catch-up window, and older ones are counted") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("late", Overlap::queue);
  put.plan.catchup_ms = 20'000;
  REQUIRE_FALSE(s.ask(put).error);
  f.sleep(Millis{60'000});  // no timer hears of it
  f.crash();
  s.begin();
  f.advance(Millis{0});
  const auto row = schedule_told(f, "late");
  CHECK(row.state.counts.missed == 39);
  CHECK(row.state.counts.begun == 21);
  CHECK(chains_of_schedule(f, "late").size() == 21);
}

TEST_CASE("a machine that slept looks at the clock within a minute, though no timer has told it") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("hourly", Overlap::skip);
  put.plan.every_ms = 3'600'000;
  REQUIRE_FALSE(s.ask(put).error);
  f.sleep(Millis{3'600'000});
  f.advance(Millis{60'000});
  CHECK(chains_of_schedule(f, "hourly").size() == 1);
}

TEST_CASE("many that are due at one moment begin all, some at a time") {
  Fixture f;
  ScheduleClient s{f};
  constexpr int kMany = 300;
  for (int one = 0; one < kMany; ++one) {
    auto put = each_second_run("s" + std::to_string(one), Overlap::skip);
    put.plan.every_ms = 60'000;
    REQUIRE_FALSE(s.ask(put).error);
  }
  const auto commits = f.kv.commit();
  f.gate.shut = true;
  f.advance(Millis{60'000});
  REQUIRE(f.gate.kept.size() == 2);  // what was decided of 256, and of the others
  f.pass_one_commit();
  f.pass_one_commit();
  f.run();
  CHECK(Fixture::state_of<SupervisorState>(f.supervisor).running.size() == 64);
  f.gate.shut = false;
  while (!f.gate.kept.empty()) f.pass_one_commit();
  f.run();
  for (int one = 0; one < kMany; ++one) CHECK(schedule_told(f, "s" + std::to_string(one)).state.counts.begun == 1);
  CHECK(f.kv.commit() - commits < 12 * kMany);
}

TEST_CASE("what is wrong with a schedule is told, and nothing is made") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("bad", Overlap::skip);
  put.follow = true;
  put.definition = "nobody/has/it";
  CHECK(s.ask(put).error.value().code == Code::feature_unavailable);  // this process keeps no definitions
  put.follow = false;
  put.plan.cron = "61 * * * *";
  put.plan.every_ms = 0;
  CHECK(s.ask(put).error.value().code == Code::schedule_invalid);
  put.plan = {};
  CHECK(s.ask(put).error.value().code == Code::schedule_invalid);
  put = each_second_run("a/b", Overlap::skip);
  CHECK(s.ask(put).error.value().code == Code::id_invalid);
}

TEST_CASE("of two who change one version of a schedule one does, and the other is told so") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("one", Overlap::skip);
  put.expected = "";
  CHECK_FALSE(s.ask(put).error);
  CHECK(s.ask(put).error.value().code == Code::version_conflict);
  put.expected = "v1";
  put.only_check = true;
  CHECK(s.ask(put).version == "v2");
  CHECK(schedule_told(f, "one").version == "v1");
  put.only_check = false;
  put.plan.every_ms = 5'000;
  CHECK(s.ask(put).version == "v2");
  CHECK(s.ask(put).error.value().code == Code::version_conflict);
  CHECK(schedule_told(f, "one").state.plan.every_ms == 5'000);
  auto remove = actors::OrderSchedule{.name = "one", .verb = actors::ScheduleVerb::remove};
  remove.expected = "v1";
  CHECK(s.ask(remove).error.value().code == Code::version_conflict);
  remove.expected = "v2";
  CHECK_FALSE(s.ask(remove).error);
  CHECK(s.ask(remove).error.value().code == Code::schedule_not_found);
  f.advance(Millis{60'000});
  CHECK(chains_of_schedule(f, "one").empty());
}

TEST_CASE("of two who make a schedule, or change it, at the same moment one does, and the other is told so") {
  Fixture f;
  ScheduleClient s{f};
  f.gate.shut = true;
  auto put = each_second_run("one", Overlap::skip);
  const auto both = [&](const std::string& expected) {
    put.expected = expected;
    for (int who = 0; who < 2; ++who) s.self->send(f.services()->schedules, put);
    f.run();
    f.open_gate();
    f.run();
    f.gate.shut = true;
    std::multiset<std::string> answers;
    for (int who = 0; who < 2; ++who) {
      s.self->receive([&](const actors::ScheduleDone& done) { answers.insert(done.error ? std::string{name(done.error->code)} : done.version); },
                      caf::after(std::chrono::seconds{0}) >> [] {});
    }
    return answers;
  };
  CHECK(both("") == std::multiset<std::string>{"v1", "version_conflict"});
  CHECK(both("v1") == std::multiset<std::string>{"v2", "version_conflict"});
  CHECK(schedule_told(f, "one").version == "v2");
  f.open_gate();
}

TEST_CASE("a chain of somebody else that has the id of a run is none, and is left alone") {
  Fixture f;
  ScheduleClient s{f};
  const auto taken = *due_runs("slow", f.now(), 1).begin();
  f.script.otherwise = [](const actors::Attempted&) { return held(); };
  f.submit(scheduled_work(), taken, R"({"x": 1})");
  REQUIRE_FALSE(s.ask(each_second_run("slow", Overlap::cancel)).error);
  f.advance(kOneSecond);
  const auto row = schedule_told(f, "slow");
  CHECK(row.state.counts.refused == 1);
  REQUIRE(row.state.past.size() == 1);
  CHECK(row.state.past.front().outcome == "refused");
  CHECK(row.state.past.front().error.find(taken) != std::string::npos);
  f.advance(kOneSecond);
  f.advance(kOneSecond);
  const auto summary = storage::load_summary(f.kv, ChainId{taken}).value();
  REQUIRE(summary.has_value());
  CHECK(summary->status == "running");
}

TEST_CASE("who puts the same schedule again and again does not put off its due times, and what waits goes on waiting") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("applied", Overlap::queue);
  put.plan.every_ms = 4'000;
  for (int time = 0; time < 8; ++time) {
    REQUIRE_FALSE(s.ask(put).error);
    f.advance(Millis{3'000});
  }
  CHECK(schedule_told(f, "applied").state.counts.begun >= 5);
}

TEST_CASE("a schedule whose record is damaged does not run and can be deleted, and the others run") {
  Fixture f;
  {
    ScheduleClient s{f};
    for (const auto* name : {"a", "b", "c"}) REQUIRE_FALSE(s.ask(each_second_run(name, Overlap::skip)).error);
  }
  storage::Batch batch;
  batch.put(storage::keys::schedule("b"), "no record");
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  f.crash();
  ScheduleClient s{f};
  f.advance(kOneSecond);
  CHECK(schedule_told(f, "a").state.counts.begun == 1);
  CHECK(schedule_told(f, "c").state.counts.begun == 1);
  CHECK(chains_of_schedule(f, "b").empty());
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto page = inspector.answer(ListSchedules{}).value();
  REQUIRE(page.rows.size() == 3);
  CHECK_FALSE(page.rows[1].problem.empty());
  CHECK(s.ask(each_second_run("b", Overlap::skip)).error.value().code == Code::storage_corrupt);
  CHECK(s.order("b", actors::ScheduleVerb::pause).error.value().code == Code::storage_corrupt);
  CHECK_FALSE(s.order("b", actors::ScheduleVerb::remove).error);
  CHECK(inspector.answer(ListSchedules{}).value().rows.size() == 2);
  CHECK_FALSE(s.ask(each_second_run("b", Overlap::skip)).error);
}

TEST_CASE("a schedule is paused and resumed, and told to run now and for times that went by") {
  Fixture f;
  ScheduleClient s{f};
  const auto from = f.now();
  REQUIRE_FALSE(s.ask(each_second_run("w", Overlap::queue)).error);
  auto pause = actors::OrderSchedule{.name = "w", .verb = actors::ScheduleVerb::pause};
  pause.reason = "maintenance";
  pause.by = "ann";
  CHECK_FALSE(s.ask(pause).error);
  f.crash();
  s.begin();
  f.advance(Millis{5'000});
  CHECK(chains_of_schedule(f, "w").empty());
  CHECK(schedule_told(f, "w").state.paused_by == "ann");
  CHECK(schedule_told(f, "w").state.pause_reason == "maintenance");
  const auto triggered = s.order("w", actors::ScheduleVerb::trigger);
  CHECK(chains_of_schedule(f, "w") == std::set<std::string>{triggered.chain.value});
  auto backfill = actors::OrderSchedule{.name = "w", .verb = actors::ScheduleVerb::backfill, .from = from, .until = from + 3'000};
  auto only_checked = backfill;
  only_checked.only_check = true;
  CHECK(s.ask(only_checked).runs == 3);
  CHECK(s.ask(backfill).runs == 3);
  f.advance(Millis{0});
  auto all = due_runs("w", from, 3);
  all.insert(triggered.chain.value);
  CHECK(chains_of_schedule(f, "w") == all);
  CHECK_FALSE(s.order("w", actors::ScheduleVerb::resume).error);
  f.advance(kOneSecond);
  CHECK(chains_of_schedule(f, "w").size() == 5);
}

TEST_CASE("who reaches one namespace reaches its schedules and no other") {
  Fixture f;
  ScheduleClient s{f};
  REQUIRE_FALSE(s.ask(each_second_run("red", Overlap::skip, {{"namespace", "red"}})).error);
  auto pause = actors::OrderSchedule{.name = "red", .verb = actors::ScheduleVerb::pause};
  pause.namespace_ = "blue";
  CHECK(s.ask(pause).error.value().code == Code::schedule_not_found);
  auto put = each_second_run("red", Overlap::skip, {{"namespace", "blue"}});
  put.namespace_ = "blue";
  CHECK(s.ask(put).error.value().code == Code::namespace_refused);
  pause.namespace_ = "red";
  CHECK_FALSE(s.ask(pause).error);
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  CHECK_FALSE(inspector.answer(ReadSchedule{.name = "red", .namespace_ = "blue"}).value().row);
  CHECK(inspector.answer(ListSchedules{.namespace_ = "blue"}).value().rows.empty());
  CHECK(inspector.answer(ListSchedules{.namespace_ = "red"}).value().rows.size() == 1);
  CHECK(inspector.answer(ListSchedules{.pattern = "r*"}).value().rows.size() == 1);
  CHECK(inspector.answer(ListSchedules{.labels = {{"namespace", "blue"}}}).value().rows.empty());
}

TEST_CASE("a list of schedules comes in pages") {
  Fixture f;
  ScheduleClient s{f};
  for (const auto* name : {"a", "b", "c"}) REQUIRE_FALSE(s.ask(each_second_run(name, Overlap::skip)).error);
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  Words names;
  ListSchedules ask{.limit = 2};
  do {
    const auto page = inspector.answer(ask).value();
    for (const auto& row : page.rows) names.push_back(row.name);
    ask.after = page.next;
  } while (!ask.after.empty());
  CHECK(names == Words{"a", "b", "c"});
}

TEST_CASE("what a schedule pins stays in the store while no chain has it") {
  Fixture f;
  ScheduleClient s{f};
  auto put = each_second_run("rare", Overlap::skip);
  put.plan.every_ms = 60'000;
  REQUIRE_FALSE(s.ask(put).error);
  CHECK(collect_all(f.kv).value() == 0);
  f.crash();
  s.begin();
  f.advance(Millis{60'000});
  CHECK(schedule_told(f, "rare").state.counts.begun == 1);
  CHECK_FALSE(s.order("rare", actors::ScheduleVerb::remove).error);
}

TEST_CASE("overlap cancel ends the run that goes on, and the next begins when it has ended") {
  Fixture f;
  ScheduleClient s{f};
  REQUIRE_FALSE(s.ask(each_second_run("slow", Overlap::cancel)).error);
  f.script.otherwise = [](const actors::Attempted&) { return held(); };
  f.advance(kOneSecond);
  REQUIRE(chains_of_schedule(f, "slow").size() == 1);
  f.advance(kOneSecond);
  const auto row = schedule_told(f, "slow");
  REQUIRE(row.state.past.size() == 1);
  CHECK(row.state.past.front().outcome == "cancelled");
  CHECK(chains_of_schedule(f, "slow").size() == 2);
}

}  // namespace catena::coordinator::test
