// When what ran, from events: attempts of a step, the slowest items of a fan-out, and the path that a chain waited for, against an oracle.
#include "coordinator/inspect/timeline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <queue>
#include <random>

namespace catena::coordinator::test {
namespace {

lang::Program steps_with(const std::vector<std::vector<StepIndex>>& deps) {
  lang::Program program;
  for (std::size_t step = 0; step < deps.size(); ++step) {
    auto& made = program.steps.emplace_back();
    made.id = "s" + std::to_string(step);
    made.gate = lang::AfterAll{deps[step]};
  }
  return program;
}

VisitId visit_of(StepIndex step) { return {step, 1}; }

engine::Granted attempt_begins(GrantId grant, VisitId visit, IndexSet items, UnixMillis at, const std::string& worker = "w") {
  engine::Granted event;
  event.grant = grant;
  event.visit = visit;
  event.worker = WorkerId{worker};
  event.items = std::move(items);
  event.at = at;
  return event;
}
engine::AttemptsEnded ended(GrantId grant, VisitId visit, IndexSet items, engine::Ended how, UnixMillis at) {
  engine::AttemptsEnded event;
  event.grant = grant;
  event.visit = visit;
  event.items = std::move(items);
  event.how = how;
  event.at = at;
  return event;
}
engine::ItemsSettled items_settle(GrantId grant, VisitId visit, IndexSet ok, IndexSet bad, UnixMillis at) {
  engine::ItemsSettled event;
  event.grant = grant;
  event.visit = visit;
  event.ok = std::move(ok);
  event.bad = std::move(bad);
  event.at = at;
  return event;
}

engine::VisitEntered visit_begins(VisitId visit, UnixMillis at) {
  engine::VisitEntered event;
  event.visit = visit;
  event.at = at;
  return event;
}
engine::ItemsExpanded items_begin(VisitId visit, std::uint32_t width, UnixMillis at) {
  engine::ItemsExpanded event;
  event.visit = visit;
  event.width = width;
  event.at = at;
  return event;
}
engine::VisitSettled visit_ends(VisitId visit, UnixMillis at) {
  engine::VisitSettled event;
  event.visit = visit;
  event.at = at;
  return event;
}

/// "queued 0-5 running#1 5-9 failed …"
std::string bars_text(const std::vector<TimeBar>& bars) {
  std::string text;
  for (const auto& bar : bars) {
    text += text.empty() ? "" : ", ";
    text += std::string{name(bar.kind)} + "#" + std::to_string(bar.attempt) + " " + std::to_string(bar.from) + "-" + std::to_string(bar.to);
    if (bar.outcome) text += " " + std::string{name(*bar.outcome)};
  }
  return text;
}

/// A graph, how long each of its steps took, and the events of a chain that ran it.
struct Run {
  std::vector<std::vector<StepIndex>> deps;
  std::vector<std::int64_t> took;
  std::vector<engine::Event> events;
  UnixMillis end = 0;
};

Run run_of(std::mt19937& random, std::size_t steps) {
  Run run;
  for (StepIndex step = 0; step < steps; ++step) {
    std::vector<StepIndex> deps;
    for (StepIndex other = 0; other < step; ++other) {
      if (random() % 4 == 0) deps.push_back(other);
    }
    run.deps.push_back(deps);
    run.took.push_back(1 + static_cast<std::int64_t>(random() % 1000) * 64 + static_cast<std::int64_t>(step));  // no two sums are alike by chance
  }
  // What a coordinator does: whatever has all that it waits for begins at once.
  using Due = std::pair<UnixMillis, StepIndex>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> running;
  std::vector<bool> begun(steps, false), over(steps, false);
  const auto begin_ready = [&](UnixMillis now) {
    for (StepIndex step = 0; step < steps; ++step) {
      if (begun[step] || !std::ranges::all_of(run.deps[step], [&](StepIndex dep) { return over[dep]; })) continue;
      begun[step] = true;
      run.events.emplace_back(visit_begins(visit_of(step), now));
      running.emplace(now + run.took[step], step);
    }
  };
  begin_ready(0);
  while (!running.empty()) {
    const auto [at, step] = running.top();
    running.pop();
    over[step] = true;
    run.events.emplace_back(visit_ends(visit_of(step), at));
    run.end = at;
    begin_ready(at);
  }
  return run;
}

/// The longest path through the graph, by dynamic programming: nothing of it looks at events.
std::int64_t longest_path(const Run& run) {
  std::vector<std::int64_t> until(run.deps.size(), 0);
  std::int64_t longest = 0;
  for (std::size_t step = 0; step < run.deps.size(); ++step) {
    for (const auto dep : run.deps[step]) until[step] = std::max(until[step], until[dep]);
    until[step] += run.took[step];
    longest = std::max(longest, until[step]);
  }
  return longest;
}

}  // namespace

TEST_CASE("timeline: the critical path of a graph is its longest path, for random graphs") {
  std::mt19937 random{20261125};
  for (int round = 0; round < 300; ++round) {
    const auto run = run_of(random, 1 + random() % 40);
    INFO("round " << round);
    const auto program = steps_with(run.deps);
    TimelineFold fold{&program};
    for (const auto& event : run.events) fold.add(event);
    const auto path = fold.critical_path(true);
    REQUIRE_FALSE(path.empty());
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < path.size(); ++at) {
      sum += path[at].to - path[at].from;
      CHECK(path[at].to - path[at].from == run.took[path[at].step]);
      if (at == 0) continue;
      CHECK(std::ranges::find(run.deps[path[at].step], path[at - 1].step) != run.deps[path[at].step].end());
      CHECK(path[at].from == path[at - 1].to);
    }
    CHECK(run.deps[path.front().step].empty());
    CHECK(path.back().to == run.end);
    CHECK(sum == longest_path(run));
  }
}

TEST_CASE(
    "timeline: the path of a chain that goes on leads to the open step that began first, through skipped ones, and of a sequence along its jumps") {
  const auto graph = steps_with({{}, {0}, {1}, {0}});
  TimelineFold fold{&graph};
  fold.add(visit_begins(visit_of(0), 1));
  fold.add(visit_ends(visit_of(0), 5));
  fold.add(engine::VisitSkipped{.visit = visit_of(1), .at = 5});
  fold.add(visit_begins(visit_of(2), 6));
  fold.add(visit_begins(visit_of(3), 7));
  const auto open = fold.critical_path(false);
  REQUIRE(open.size() == 2);
  CHECK(open[0].id == "s0");
  CHECK(open[1].id == "s2");
  CHECK(open[1].to == 0);
  CHECK(fold.rows(10).size() == 3);  // what was skipped has no row

  lang::Program sequence = steps_with({{}, {}});
  for (auto& step : sequence.steps) step.gate = lang::OnEntry{};
  TimelineFold jumps{&sequence};
  const auto go = [&](StepIndex step, Visit visit, UnixMillis from, UnixMillis to) {
    jumps.add(visit_begins({step, visit}, from));
    jumps.add(visit_ends({step, visit}, to));
  };
  go(0, 1, 0, 4);
  jumps.add(engine::Jumped{.from = 0, .to = 1, .at = 4});
  go(1, 1, 4, 6);
  jumps.add(engine::Jumped{.from = 1, .to = 0, .at = 6});
  go(0, 2, 6, 9);
  const auto path = jumps.critical_path(true);
  REQUIRE(path.size() == 3);
  CHECK(path[0].visit == 1);
  CHECK(path[1].id == "s1");
  CHECK(path[2].visit == 2);
}

TEST_CASE("timeline: a step's attempts are queued, run, back off, are lost and wait for a person") {
  const auto program = steps_with({{}});
  TimelineFold fold{&program};
  const auto visit = visit_of(0);
  const auto item = IndexSet::one(0);
  fold.add(visit_begins(visit, 0));
  fold.add(attempt_begins(1, visit, item, 5));
  fold.add(ended(1, visit, item, engine::Ended::failed, 9));
  fold.add(engine::RetryArmed{.visit = visit, .items = item, .after = {10}, .at = 9});
  fold.add(engine::RetryReleased{.visit = visit, .items = item, .at = 19});
  fold.add(attempt_begins(2, visit, item, 20));
  auto lost = ended(2, visit, item, engine::Ended::lost, 30);
  lost.in_doubt = true;
  fold.add(lost);
  fold.add(engine::DoubtCleared{.visit = visit, .items = item, .at = 50});
  fold.add(attempt_begins(3, visit, item, 50));
  CHECK(bars_text(fold.rows(60).front().bars) ==
        "queued#1 0-5, running#1 5-9 failed, backoff#2 9-19, queued#2 19-20, lost#2 20-30 lost, waiting#3 30-50, running#3 50-0");
  fold.add(items_settle(3, visit, item, {}, 70));
  fold.add(visit_ends(visit, 71));
  const auto rows = fold.rows(80);
  CHECK(bars_text(rows.front().bars).ends_with("running#3 50-70 succeeded"));
  CHECK(rows.front().to == 71);
  CHECK_FALSE(rows.front().fan_out);
}

TEST_CASE("timeline: a step that retries without end has the last of its bars, and says how many were before") {
  const auto program = steps_with({{}});
  TimelineFold fold{&program};
  const auto visit = visit_of(0);
  fold.add(visit_begins(visit, 0));
  constexpr int kAttempts = 5000;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    fold.add(attempt_begins(static_cast<GrantId>(attempt), visit, IndexSet::one(0), attempt * 10));
    fold.add(ended(static_cast<GrantId>(attempt), visit, IndexSet::one(0), engine::Ended::failed, attempt * 10 + 5));
  }
  const auto row = fold.rows(kAttempts * 10 + 10).front();
  CHECK(row.bars.size() == kBarsMax);
  CHECK(row.bars.size() + row.bars_before == 2 * kAttempts + 1);
  CHECK(row.bars.back().attempt == kAttempts + 1);
}

TEST_CASE("timeline: a fan-out is one row and its slowest items, and of more attempts than are kept only the row") {
  auto program = steps_with({{}});
  TimelineFold fold{&program};
  const auto visit = visit_of(0);
  constexpr std::uint32_t kItems = 1000;
  fold.add(items_begin(visit, kItems, 0));
  fold.add(attempt_begins(1, visit, IndexSet::range(0, kItems), 1));
  for (ItemIndex item = 0; item < kItems; ++item)
    fold.add(item % 100 == 7 ? items_settle(1, visit, {}, IndexSet::one(item), 2 + item) : items_settle(1, visit, IndexSet::one(item), {}, 2 + item));
  const auto rows = fold.rows(2000);
  REQUIRE(rows.size() == 1 + kSlowRowsMax);
  CHECK(rows[0].fan_out);
  CHECK(rows[0].ok == 990);
  CHECK(rows[0].failed == 10);
  for (std::size_t at = 0; at < kSlowRowsMax; ++at) CHECK(rows[at + 1].item == kItems - 1 - at);
  CHECK(fold.complete());

  TimelineFold many{&program};
  constexpr std::uint32_t kMany = 1'000'000;
  many.add(items_begin(visit, kMany, 0));
  for (ItemIndex item = 0; item < kMany; item += 1000) {
    const auto items = IndexSet::range(item, item + 1000);
    many.add(attempt_begins(GrantId{item + 1}, visit, items, 1));
    many.add(items_settle(GrantId{item + 1}, visit, items, {}, 2));
  }
  CHECK_FALSE(many.complete());
  CHECK(many.rows(5).front().ok == kMany);
  CHECK(many.rows(5).size() <= 1 + kSlowRowsMax);
}

TEST_CASE("timeline: who ran items, and which took longest: over all attempts, also of those that go on") {
  const VisitId visit{0, 2};
  ItemWorkFold fold{visit, 4};
  fold.add(attempt_begins(1, {0, 1}, IndexSet::range(0, 4), 0, "earlier"), true);  // another visit
  fold.add(attempt_begins(2, visit, IndexSet::range(0, 2), 10, "a"), true);
  fold.add(attempt_begins(3, visit, IndexSet::range(2, 4), 10, "b"), true);
  fold.add(ended(2, visit, IndexSet::one(0), engine::Ended::failed, 30), true);
  fold.add(items_settle(2, visit, IndexSet::one(1), {}, 15), true);
  auto back = ended(3, visit, IndexSet::one(3), engine::Ended::failed, 12);
  back.error = make_error(Code::given_back, "not begun");
  fold.add(back, true);
  fold.add(items_settle(3, visit, {}, IndexSet::one(2), 20), true);
  CHECK(fold.all_ended());
  fold.add(attempt_begins(4, visit, IndexSet::one(0), 40, "b"), true);
  fold.add(attempt_begins(5, visit, IndexSet::one(3), 40, "c"), false);  // began behind the part that is looked at
  const auto told = fold.told(10, 100, [](ItemIndex item) { return item == 0 ? ItemStatus::running : ItemStatus::succeeded; });
  REQUIRE(told.slowest.size() == 3);
  CHECK(told.slowest[0].item == 0);
  CHECK(told.slowest[0].took_ms == 20 + 60);
  CHECK(told.slowest[0].attempts == 2);
  CHECK(told.slowest[0].worker == WorkerId{"b"});
  CHECK(told.slowest[0].status == ItemStatus::running);
  CHECK(told.slowest[1].item == 2);
  CHECK(told.slowest[2].item == 1);
  REQUIRE(told.workers.size() == 2);
  CHECK(told.workers[0].worker == WorkerId{"a"});
  CHECK(told.workers[0].items == 2);
  CHECK(told.workers[0].failed == 1);
  CHECK(told.workers[0].took_ms == 25);
  CHECK(told.workers[1].items == 1);
  CHECK(told.workers[1].failed == 1);
  CHECK(fold.told(1, 100, [](ItemIndex) { return ItemStatus::running; }).slowest.size() == 1);
}

}  // namespace catena::coordinator::test
