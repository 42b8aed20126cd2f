// The deadline of a chain: when it passes, what comes of it, and what a person may do then.
#include <catch2/catch.hpp>

#include "tests/engine/story.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using std::chrono::seconds;

constexpr UnixMillis kDeadline = 6000;

Story story_of(lang::Program program, UnixMillis deadline = kDeadline) {
  Start start;
  start.deadline_at = deadline;
  return Story{std::move(program), std::move(start)};
}

TEST_CASE("a chain that has not ended at its deadline stops what runs and fails, and a millisecond before it does not") {
  auto story = story_of(graph({S("a"), S("b").after({0})}));
  story.run(0);
  CHECK(story.owes(Wake{kDeadline}));
  story.now = kDeadline - 1;
  CHECK(story.feed(TimerDue{}).last.events.empty());
  story.now = kDeadline;
  story.feed(TimerDue{});
  CHECK(story.owes(Stop{1}));
  CHECK_FALSE(story.owes(Wake{kDeadline}));
  CHECK(story.state.status == running);
  story.report(1, 0, Outcome::cancelled);
  CHECK(story.state.status == failed);
  REQUIRE(story.state.error);
  CHECK(story.state.error->code == Code::chain_deadline);
  CHECK(story.state.error->message == "the chain had not ended at its deadline, 1970-01-01T00:00:06.000Z");
  CHECK(story.status(1) == VisitStatus::blocked);
}

TEST_CASE("whatever comes first behind the deadline, nothing begins") {
  auto story = story_of(graph({S("a"), S("b")}));
  story.begin(0);
  story.now = kDeadline;
  SECTION("an evaluation") { story.begin(1); }
  SECTION("an offer") { story.offer(0); }
  SECTION("a pause") { story.feed(Pause{}); }
  SECTION("a foreign report") { story.report(9, 0); }
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::chain_deadline);
  CHECK(story.state.last_grant == 0);
}

TEST_CASE("a signal that comes behind the deadline is kept, as its sender is told, and nobody takes it") {
  auto story = story_of(graph({S("w").signal("go")}));
  story.begin(0);
  story.now = kDeadline + 5;
  story.feed(Signal{"go", inline_payload("{}"), "key", {}, {}});
  CHECK(std::holds_alternative<SignalReceived>(story.last.events.front()));
  CHECK(story.state.status == running);
  story.feed(SignalUsed{{0, 1}, 1, inline_payload("1")});
  CHECK(story.state.error->code == Code::chain_deadline);
}

TEST_CASE("a report that comes behind the deadline is recorded, and the chain fails all the same") {
  auto story = story_of(graph({S("a"), S("b").after({0})}));
  story.run(0);
  story.now = kDeadline + 5;
  story.report(1, 0);
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.state.error->code == Code::chain_deadline);
}

TEST_CASE("final steps run behind the deadline, also of a chain that is paused") {
  auto story = story_of(graph({S("a"), S("z").finally()}));
  story.run(0).feed(Pause{"later", "ann"});
  CHECK(story.owes(Wake{kDeadline}));
  story.now = kDeadline;
  story.feed(TimerDue{});
  CHECK(story.state.status == running);
  story.report(1, 0, Outcome::cancelled).run(1).report(2, 0);
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::chain_deadline);
  CHECK(story.status(1) == VisitStatus::completed);
}

TEST_CASE("a chain that was failing or being cancelled before its deadline ends of that") {
  auto story = story_of(graph({S("a"), S("b")}));
  story.run(0).run(1);
  SECTION("failing: what still runs is stopped") {
    story.report(1, 0, Outcome::failed);
    story.now = kDeadline;
    story.feed(TimerDue{});
    CHECK(story.owes(Stop{2}));
    story.report(2, 0, Outcome::cancelled);
    CHECK(story.state.status == failed);
    CHECK(story.state.error->code == Code::tool_failed);
  }
  SECTION("cancelled") {
    story.feed(Cancel{"enough"});
    CHECK_FALSE(story.owes(Wake{kDeadline}));
    story.now = kDeadline;
    CHECK(story.feed(TimerDue{}).last.events.empty());
    story.report(1, 0, Outcome::cancelled).report(2, 0, Outcome::cancelled);
    CHECK(story.state.status == cancelled);
  }
}

TEST_CASE("a retry behind the deadline lifts it, one before keeps it") {
  auto story = story_of(graph({S("a")}));
  story.run(0);
  SECTION("behind") {
    story.now = kDeadline;
    story.feed(TimerDue{}).report(1, 0, Outcome::cancelled);
    REQUIRE(story.state.status == failed);
    story.now += 1000;
    story.feed(Retry{});
    CHECK(story.state.deadline_at == 0);
    story.offer(0).report(2, 0).feed(OutputsEvaluated{inline_payload("{}")});
    CHECK(story.state.status == succeeded);
  }
  SECTION("before") {
    story.report(1, 0, Outcome::failed);
    REQUIRE(story.state.status == failed);
    story.feed(Retry{});
    CHECK(story.owes(Wake{kDeadline}));
    story.now = kDeadline;
    story.feed(TimerDue{});
    CHECK(story.state.error->code == Code::chain_deadline);
  }
}

TEST_CASE("what falls due first is waited for: a retry, or the deadline") {
  auto story = story_of(graph({S("a").attempts(3)}), 2500);
  story.run(0).report(1, 0, Outcome::failed, true);
  CHECK(story.owes(Wake{2000}));
  story.now = 2000;
  story.feed(TimerDue{}).offer(0).report(2, 0, Outcome::failed, true);
  CHECK(story.owes(Wake{2500}));
  story.now = 2500;
  story.feed(TimerDue{});
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::chain_deadline);
}

TEST_CASE("a deadline that is amended takes the place of the former one at once: earlier, later, off, or as the first that there is") {
  const bool had_one = GENERATE(true, false);
  auto story = story_of(graph({S("a"), S("b").after({0})}), had_one ? kDeadline : 0);
  story.run(0);
  SECTION("earlier, as a span from now on") {
    story.feed(Amend{.deadline = Deadline{seconds{2}}, .reason = "why", .by = "ann"});
    CHECK(story.owes(Wake{3000}));
    CHECK_FALSE(story.owes(Wake{kDeadline}));
    const auto& event = std::get<Amended>(story.last.events.at(0));
    CHECK(event.deadline_at == 3000);
    CHECK(event.by == "ann");
    CHECK(event.reason == "why");
    story.now = 3000;
    story.feed(TimerDue{});
    CHECK(story.state.failing->message == "the chain had not ended at its deadline, 1970-01-01T00:00:03.000Z");
  }
  SECTION("later, as a point in time") {
    story.feed(Amend{.deadline = Deadline{Millis{0}, kDeadline + 1000}});
    CHECK(story.owes(Wake{kDeadline + 1000}));
    story.now = kDeadline;
    CHECK(story.feed(TimerDue{}).last.events.empty());
    story.now = kDeadline + 1000;
    story.feed(TimerDue{});
    CHECK(story.state.failing->code == Code::chain_deadline);
  }
  SECTION("off") {
    story.feed(Amend{.deadline = Deadline{}});
    CHECK(story.state.deadline_at == 0);
    CHECK_FALSE(story.owes(Wake{kDeadline}));
    story.now = kDeadline + 1;
    CHECK(story.feed(TimerDue{}).last.events.empty());
    story.report(1, 0);
    CHECK(story.status(0) == VisitStatus::completed);
  }
}

TEST_CASE("a deadline that is amended to a time that has passed ends the chain by that order, and its final steps run") {
  auto story = story_of(graph({S("a"), S("z").finally()}), 0);
  story.run(0);
  story.feed(Amend{.priority = 3, .deadline = Deadline{Millis{0}, story.now}});
  CHECK(story.owes(Stop{1}));
  CHECK(story.state.priority == 3);
  story.report(1, 0, Outcome::cancelled).run(1).report(2, 0);
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::chain_deadline);
}

TEST_CASE("a deadline that has passed cannot be moved any more, and one of a chain that is being cancelled ends nothing") {
  auto story = story_of(graph({S("a")}));
  story.run(0);
  SECTION("it has passed") {
    story.now = kDeadline;
    story.feed(Amend{.deadline = Deadline{}});
    CHECK(story.state.failing->code == Code::chain_deadline);
  }
  SECTION("it is being cancelled") {
    story.feed(Cancel{"enough"}).feed(Amend{.deadline = Deadline{Millis{0}, 1}});
    story.report(1, 0, Outcome::cancelled);
    CHECK(story.state.status == cancelled);
  }
}

}  // namespace
}  // namespace catena::engine::test
