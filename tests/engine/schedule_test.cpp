// Schedules: what is decided, case by case, and over all orders of what may happen to a small one, with a crash at every point.
#include <catch2/catch.hpp>

#include <deque>
#include <limits>
#include <map>
#include <set>

#include "base/codec.hpp"
#include "base/overloads.hpp"
#include "engine/schedule/fields.hpp"
#include "engine/schedule/schedule.hpp"
#include "tests/engine/dice.hpp"

namespace catena::engine {
namespace {

constexpr UnixMillis kNoon = 1'790'000'000'000;

SchedulePlan each_second(Overlap overlap, std::int64_t catchup_ms = 10'000) {
  SchedulePlan plan;
  plan.every_ms = 1000;
  plan.anchor = kNoon;
  plan.overlap = overlap;
  plan.catchup_ms = catchup_ms;
  return plan;
}

/// A schedule, what is on disk of it, its chains, and all that is on its way between them.
struct Desk {
  explicit Desk(SchedulePlan plan) : timetable{timetable_of(plan).value()}, memory{new_schedule(std::move(plan), kNoon)}, disk{memory} {}

  /// As the keeper does: decided at once, done when it is durable.
  bool give(const ScheduleInput& input) {
    const auto events = decide(memory, timetable, input, now);
    if (!events) return false;
    const auto before = outstanding(memory);
    for (const auto& event : *events) {
      const auto decided_until = memory.decided_until;
      evolve(memory, event);
      if (!std::holds_alternative<DueTimesPassed>(event)) passed_over += due_between(decided_until, memory.decided_until);
    }
    if (!events->empty()) commits.push_back({memory, added(before, outstanding(memory)), passed_over});
    return true;
  }
  /// Due times after the one and until the other.
  [[nodiscard]] std::uint64_t due_between(UnixMillis after, UnixMillis until) const {
    std::uint64_t due = 0;
    for (auto at = timetable.next_after(after); at && *at <= until; at = timetable.next_after(*at)) ++due;
    return due;
  }
  void tick(UnixMillis by = 1000) {
    now += by;
    give(ScheduleTick{});
  }
  bool commit() {
    if (commits.empty()) return false;
    disk = commits.front().state;
    passed_over_on_disk = commits.front().passed_over;
    for (const auto& effect : commits.front().effects) effects.push_back(effect);
    commits.pop_front();
    return true;
  }
  bool perform() {
    if (effects.empty()) return false;
    const auto effect = effects.front();
    effects.pop_front();
    switch (effect.what) {
      case RunEffect::submit: {
        const bool before = !chains.emplace(effect.at, true).second;
        begun_late.insert(before ? 0 : now - effect.at);
        answers.push_back(RunAccepted{effect.at, before});
        break;
      }
      case RunEffect::await:
        awaited.insert(effect.at);
        if (!chains.at(effect.at)) answers.push_back(RunOver{effect.at, "succeeded"});
        break;
      case RunEffect::cancel: end(effect.at, "cancelled"); break;
    }
    most_live = std::max(most_live, live());
    return true;
  }
  bool deliver() {
    if (answers.empty()) return false;
    const auto answer = answers.front();
    answers.pop_front();
    return give(answer);
  }
  void end(UnixMillis at, const std::string& outcome) {
    if (!chains.at(at)) return;
    chains.at(at) = false;
    if (awaited.contains(at)) answers.push_back(RunOver{at, outcome});
  }
  /// The oldest that lives.
  bool end_one() {
    const auto living = std::ranges::find_if(chains, [](const auto& chain) { return chain.second; });
    if (living == chains.end()) return false;
    end(living->first, "succeeded");
    return true;
  }
  void crash() {
    memory = disk;
    passed_over = passed_over_on_disk;
    commits.clear();
    effects.clear();
    answers.clear();
    awaited.clear();
    for (const auto& effect : outstanding(memory)) effects.push_back(effect);
  }
  /// Until nothing is on its way.
  void settle() {
    while (commit() || perform() || deliver()) {
    }
  }
  [[nodiscard]] std::size_t live() const {
    return static_cast<std::size_t>(std::ranges::count_if(chains, [](const auto& chain) { return chain.second; }));
  }
  [[nodiscard]] std::uint64_t waiting() const {
    std::uint64_t runs = 0;
    for (const auto& span : memory.waiting) runs += span.runs;
    return runs;
  }

  struct Commit {
    ScheduleState state;
    std::vector<ScheduleEffect> effects;
    std::uint64_t passed_over = 0;
  };
  std::uint64_t passed_over = 0;  // due times of a pause
  std::uint64_t passed_over_on_disk = 0;
  UnixMillis now = kNoon;
  Timetable timetable;
  ScheduleState memory;
  ScheduleState disk;
  std::deque<Commit> commits;
  std::deque<ScheduleEffect> effects;
  std::deque<ScheduleInput> answers;
  std::map<UnixMillis, bool> chains;  // by the time that they are for: whether they live
  std::set<UnixMillis> awaited;
  std::set<UnixMillis> begun_late;
  std::size_t most_live = 0;
};

/// What holds whenever nothing is on its way.
void check_whole(const Desk& desk) {
  const auto& state = desk.memory;
  CHECK(state == desk.disk);
  const auto due = desk.due_between(kNoon, state.decided_until);
  std::uint64_t with_chain = 0;
  for (const auto& [at, lives] : desk.chains) with_chain += at % 1000 == 0 ? 1 : 0;
  // each due time has come to one thing
  CHECK(with_chain + state.counts.skipped + state.counts.missed + desk.waiting() + desk.passed_over == due);
  // and each chain that lives is known
  for (const auto& [at, lives] : desk.chains) {
    const bool known = std::ranges::find(state.active, at, &ScheduledRun::at) != state.active.end();
    CHECK(known == lives);
  }
  CHECK(state.counts.begun <= desk.chains.size());
  if (state.plan.overlap != Overlap::allow) CHECK(desk.most_live <= 1);
  CHECK(desk.most_live <= kRunsAtATime);
}

}  // namespace

TEST_CASE("schedules: each due time has its run, and the run an id that says which") {
  Desk desk{each_second(Overlap::skip)};
  desk.tick();
  desk.settle();
  CHECK(desk.chains.contains(kNoon + 1000));
  CHECK(desk.memory.counts.begun == 1);
  CHECK(chain_of_run("nightly", 1'795'572'000'000) == "nightly-20261125T020000Z");
  CHECK(chain_of_run("nightly", 1'795'572'000'123) == "nightly-20261125T020000.123Z");
}

TEST_CASE("schedules: skip lets due times go by while a run goes on") {
  Desk desk{each_second(Overlap::skip)};
  for (int second = 0; second < 3; ++second) {
    desk.tick();
    desk.settle();
  }
  CHECK(desk.chains.size() == 1);
  CHECK(desk.memory.counts.skipped == 2);
  CHECK(desk.memory.last_skipped == kNoon + 3000);
  desk.end_one();
  desk.settle();
  desk.tick();
  desk.settle();
  CHECK(desk.chains.size() == 2);
  CHECK(desk.memory.past.size() == 1);
  check_whole(desk);
}

TEST_CASE("schedules: queue gives each due time its run, one after the other") {
  Desk desk{each_second(Overlap::queue)};
  for (int second = 0; second < 5; ++second) {
    desk.tick();
    desk.settle();
  }
  CHECK(desk.chains.size() == 1);
  CHECK(desk.waiting() == 4);
  CHECK(desk.memory.waiting.size() == 1);
  for (int run = 0; run < 5; ++run) {
    REQUIRE(desk.end_one());
    desk.settle();
  }
  CHECK(desk.chains.size() == 5);
  CHECK(desk.memory.waiting.empty());
  check_whole(desk);
}

TEST_CASE("schedules: allow lets runs go on side by side, up to a bound, and the others wait") {
  Desk desk{each_second(Overlap::allow)};
  for (std::size_t second = 0; second < kRunsAtATime + 10; ++second) {
    desk.tick();
    desk.settle();
  }
  CHECK(desk.live() == kRunsAtATime);
  CHECK(desk.waiting() == 10);
  desk.end_one();
  desk.settle();
  CHECK(desk.waiting() == 9);
  check_whole(desk);
}

TEST_CASE("schedules: cancel ends the run that goes on, and only the newest due time has one") {
  Desk desk{each_second(Overlap::cancel)};
  desk.tick();
  desk.settle();
  desk.tick(3000);
  desk.settle();
  CHECK(desk.chains == std::map<UnixMillis, bool>{{kNoon + 1000, false}, {kNoon + 4000, true}});
  CHECK(desk.memory.counts.skipped == 2);
  CHECK(desk.memory.past.back().outcome == "cancelled");
  check_whole(desk);
}

TEST_CASE("schedules: what was missed within the window runs, what is older is counted") {
  Desk desk{each_second(Overlap::queue, 20'000)};
  desk.tick(50'000);
  desk.settle();
  CHECK(desk.memory.counts.missed == 29);  // 30 s ago is within it, and 20 s too
  CHECK(desk.memory.last_missed == kNoon + 29'000);
  while (desk.end_one()) desk.settle();
  CHECK(desk.chains.size() == 21);
  check_whole(desk);
}

TEST_CASE("schedules: a long downtime is looked through in parts") {
  Desk desk{each_second(Overlap::skip)};
  desk.tick(5'000'000);
  CHECK(next_look(desk.memory, desk.timetable).value() <= desk.now);
  for (int part = 0; part < 10; ++part) desk.tick(0);
  desk.settle();
  CHECK(next_look(desk.memory, desk.timetable).value() > desk.now);
  CHECK(desk.memory.counts.missed == 4989);
  check_whole(desk);
}

TEST_CASE("schedules: paused, nothing is due, and what passes meanwhile is passed over") {
  Desk desk{each_second(Overlap::queue)};
  desk.give(PauseSchedule{"ann", "maintenance"});
  desk.tick(30'000);
  desk.settle();
  CHECK(desk.chains.empty());
  CHECK_FALSE(next_look(desk.memory, desk.timetable));
  desk.give(TriggerSchedule{});  // by hand it runs all the same
  desk.settle();
  CHECK(desk.chains.size() == 1);
  desk.end_one();
  desk.give(UnpauseSchedule{});
  desk.tick();
  desk.settle();
  CHECK(desk.chains.size() == 2);
  CHECK(desk.memory.counts.missed == 0);
}

TEST_CASE("schedules: orders by hand wait for their turn, each with an id of its own") {
  Desk desk{each_second(Overlap::skip)};
  for (int order = 0; order < 3; ++order) REQUIRE(desk.give(TriggerSchedule{}));
  desk.settle();
  CHECK(desk.live() == 1);
  for (int run = 0; run < 3; ++run) {
    desk.end_one();
    desk.settle();
  }
  CHECK(desk.chains.size() == 3);
  for (const auto& [at, lives] : desk.chains) CHECK(at % 1000 != 0);
  for (std::size_t order = 0; order < kOrderedByHandMax + 1; ++order) static_cast<void>(desk.give(TriggerSchedule{}));
  CHECK(desk.memory.by_hand.size() == kOrderedByHandMax);
  CHECK_FALSE(desk.give(TriggerSchedule{}));
}

TEST_CASE("schedules: a backfill gives due times a run that have none") {
  Desk desk{each_second(Overlap::skip)};
  desk.tick(10'000'000);  // all but the last ten seconds were missed
  for (int part = 0; part < 15; ++part) desk.tick(0);
  desk.settle();
  desk.end_one();
  desk.settle();
  const auto begun = desk.chains.size();
  CHECK_FALSE(desk.give(BackfillSchedule{desk.now + 1000, desk.now + 5000}));
  CHECK_FALSE(desk.give(BackfillSchedule{kNoon + 1, kNoon + 500}));
  CHECK_FALSE(desk.give(BackfillSchedule{kNoon + 9000, kNoon + 5000}));
  REQUIRE(desk.give(BackfillSchedule{kNoon + 5000, kNoon + 8000}));
  REQUIRE(desk.give(BackfillSchedule{kNoon + 8000, kNoon + 9000}));  // 8 s has one then
  for (int run = 0; run < 10; ++run) {
    desk.settle();
    desk.end_one();
  }
  desk.settle();
  CHECK(desk.chains.size() == begun + 5);
  CHECK(desk.memory.waiting.empty());
  CHECK(desk.memory.counts.begun == begun + 5);
}

TEST_CASE("schedules: a run that is refused is over, and the next due time has its own") {
  Desk desk{each_second(Overlap::queue)};
  desk.tick();
  desk.commit();
  desk.give(RunNotAccepted{kNoon + 1000, "an argument is missing"});
  CHECK(desk.memory.counts.refused == 1);
  CHECK(desk.memory.past.back().error == "an argument is missing");
  desk.tick();
  CHECK(desk.memory.active.size() == 1);
}

TEST_CASE("schedules: another plan holds from then on") {
  Desk desk{each_second(Overlap::queue)};
  desk.tick(4000);
  desk.settle();
  CHECK(desk.waiting() == 3);
  auto plan = each_second(Overlap::skip);
  plan.every_ms = 60'000;
  desk.give(Replan{plan});
  CHECK(desk.waiting() == 0);
  CHECK(desk.memory.active.size() == 1);
  CHECK(desk.memory.plan == plan);
}

TEST_CASE("schedules: put again with the same due times, what waits goes on waiting; with others it is dropped and counted") {
  Desk desk{each_second(Overlap::queue)};
  for (int second = 0; second < 5; ++second) desk.tick();
  desk.settle();
  REQUIRE(desk.waiting() == 4);
  auto plan = desk.memory.plan;
  plan.catchup_ms = 20'000;
  desk.give(Replan{plan});
  CHECK(desk.waiting() == 4);
  CHECK(desk.memory.counts.skipped == 0);
  plan.every_ms = 2000;
  desk.give(Replan{plan});
  CHECK(desk.waiting() == 0);
  CHECK(desk.memory.counts.skipped == 4);
  CHECK(desk.memory.last_skipped == kNoon + 5000);
}

TEST_CASE("schedules: what was due before a pause, or before it was put again, has come to something") {
  Desk desk{each_second(Overlap::queue)};
  desk.now += 5000;  // nobody has looked at the clock meanwhile
  desk.give(PauseSchedule{"ann", std::string(5000, 'x')});
  CHECK(desk.waiting() == 5);
  CHECK(desk.memory.active.empty());
  CHECK(desk.memory.pause_reason.size() == kScheduleTextBytesMax);
  desk.now += 3000;
  desk.give(UnpauseSchedule{});
  CHECK(desk.waiting() + desk.memory.active.size() == 5);
  desk.now += 2000;
  desk.give(Replan{desk.memory.plan});
  CHECK(desk.waiting() + desk.memory.active.size() == 7);
}

TEST_CASE("schedules: an order by hand that waits is not ended as it begins by a due time that waits too") {
  Desk desk{each_second(Overlap::cancel)};
  desk.tick();
  desk.settle();
  desk.give(TriggerSchedule{});
  desk.tick();  // ends the run that goes on
  desk.settle();
  REQUIRE(desk.live() == 1);
  CHECK(desk.memory.active.front().kind == RunKind::due);
  CHECK(desk.memory.by_hand.size() == 1);
  desk.end_one();
  desk.settle();
  CHECK(desk.memory.active.front().kind == RunKind::by_hand);
  CHECK_FALSE(desk.memory.active.front().ending);
}

TEST_CASE("schedules: a backfill ends now, whatever the clock of whoever orders it says") {
  Desk desk{each_second(Overlap::queue)};
  desk.now += 3500;
  CHECK_FALSE(desk.give(BackfillSchedule{desk.now + 1, desk.now + 60'000}));
  CHECK(desk.give(BackfillSchedule{std::numeric_limits<UnixMillis>::min(), kNoon - 1}) == false);
  REQUIRE(desk.give(BackfillSchedule{kNoon + 1000, desk.now + 60'000}));
  CHECK(desk.waiting() + desk.memory.active.size() == 3);
}

TEST_CASE("schedules: a record of one is read as it was written") {
  Desk desk{each_second(Overlap::cancel)};
  desk.tick(5000);
  desk.give(TriggerSchedule{});
  desk.give(PauseSchedule{"ann", "why"});
  desk.give(BackfillSchedule{kNoon, kNoon + 2000});
  const auto read = codec::from_bytes<ScheduleState>(codec::to_bytes(desk.memory));
  REQUIRE(read.has_value());
  CHECK(*read == desk.memory);
}

namespace {

/// One thing that may happen next. False: it cannot now.
using Step = bool (*)(Desk& desk);
constexpr std::array<Step, 10> kSteps{
    [](Desk& desk) {
      desk.tick();
      return true;
    },
    [](Desk& desk) { return desk.commit(); },
    [](Desk& desk) { return desk.perform(); },
    [](Desk& desk) { return desk.deliver(); },
    [](Desk& desk) { return desk.end_one(); },
    [](Desk& desk) { return desk.memory.by_hand.empty() && desk.give(TriggerSchedule{}); },
    [](Desk& desk) {
      return !desk.memory.paused && desk.give(PauseSchedule{"ann", "a while"});
    },
    [](Desk& desk) { return desk.memory.paused && desk.give(UnpauseSchedule{}); },
    [](Desk& desk) { return desk.give(Replan{desk.memory.plan}); },  // by whoever applies it again and again
    [](Desk& desk) {
      desk.crash();
      return true;
    },
};

void explore(const Desk& desk, int depth, std::uint64_t& ends) {
  if (depth == 0) {
    auto last = desk;
    last.settle();
    check_whole(last);
    ++ends;
    return;
  }
  for (const auto step : kSteps) {
    auto next = desk;
    if (step(next)) explore(next, depth - 1, ends);
  }
}

}  // namespace

TEST_CASE("schedules: in every order of what may happen, with a crash at every point, each due time comes to one thing", "[exhaustive]") {
  for (const auto overlap : {Overlap::skip, Overlap::queue, Overlap::allow, Overlap::cancel}) {
    INFO(name(overlap));
    std::uint64_t ends = 0;
    explore(Desk{each_second(overlap)}, 5, ends);
    CHECK(ends > 1000);
  }
}

TEST_CASE("schedules: over long stories with crashes and downtime", "[random]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto overlap = static_cast<Overlap>(seed % 4);
    INFO("seed " << seed << " " << name(overlap));
    test::Dice dice{seed};
    const bool backfills = seed % 3 == 0;  // they give due times a run that were counted as missed
    Desk desk{each_second(overlap, 15'000)};
    for (int step = 0; step < 300; ++step) {
      if (dice.one_in(40)) {
        desk.crash();
        desk.now += dice.below(40) * 1000;  // it was down
      } else if (backfills && dice.one_in(60)) {
        desk.give(BackfillSchedule{kNoon, desk.now});
      } else {
        kSteps.at(dice.below(kSteps.size() - 1))(desk);
      }
    }
    for (int rest = 0; rest < 2000 && (desk.live() > 0 || !desk.commits.empty() || !desk.effects.empty() || !desk.answers.empty()); ++rest) {
      desk.settle();
      desk.end_one();
    }
    desk.settle();
    CHECK(desk.memory.active.empty());
    if (!backfills) check_whole(desk);
    const auto state = desk.memory;
    for (const auto& input :
         std::vector<ScheduleInput>{RunAccepted{kNoon + 1000}, RunOver{kNoon + 1000, "failed"}, RunNotAccepted{kNoon + 1000, "x"}}) {
      desk.give(input);  // of a run that is over: it changes nothing
      CHECK(desk.memory == state);
    }
  }
}

}  // namespace catena::engine
