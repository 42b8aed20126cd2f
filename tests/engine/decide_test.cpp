// The named rules of the engine, one at a time, told as short stories.
#include <catch2/catch.hpp>

#include "tests/engine/story.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using std::chrono::seconds;
constexpr auto kCancelPolicy = lang::FailurePolicy::cancel;

}  // namespace

TEST_CASE("a failed step that nobody observes fails the chain and starts no new step") {
  Story story{graph({S("a"), S("b"), S("c").after({1})})};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.state.status == failed);
  CHECK(story.status(1) == VisitStatus::blocked);
  CHECK(story.last.effects == Effects{Announce{failed}});
  CHECK(story.state.error->message == "step 'a': attempt 1: it fell over");
}

TEST_CASE("running attempts finish before a failed chain ends, and what they did is kept") {
  Story story{graph({S("a"), S("b")})};
  story.run(0).run(1).report(1, 0, Outcome::failed);
  CHECK(story.state.status == running);
  CHECK_FALSE(story.owes(Stop{2}));
  story.report(2, 0);
  CHECK(story.status(1) == VisitStatus::completed);
  CHECK(story.state.status == failed);
}

TEST_CASE("the cancel policy stops what runs when a step fails") {
  Story story{graph({S("a"), S("b")}, kCancelPolicy)};
  story.run(0).run(1).report(1, 0, Outcome::failed);
  CHECK(story.owes(Stop{2}));
  story.report(2, 0, Outcome::cancelled);
  CHECK(story.status(1) == VisitStatus::cancelled);
  CHECK(story.state.status == failed);
}

TEST_CASE("a retry that would have come is not made once the chain is failing") {
  Story story{graph({S("a"), S("b").attempts(5)})};
  story.run(0).run(1).report(1, 0, Outcome::failed).report(2, 0, Outcome::failed, true);
  CHECK(story.status(1) == VisitStatus::cancelled);
  CHECK(story.state.status == failed);
}

TEST_CASE("a failed step that somebody observes opens the gates behind it") {
  Story story{graph({S("a").failed(lang::Settle{}), S("b").after({0})})};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.owes(Evaluate{{1, 1}}));
  CHECK_FALSE(story.state.failing);
}

TEST_CASE("an empty fan-out completes with nothing run") {
  Story story{graph({S("a").each()})};
  story.expand(0, 0);
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.state.last_grant == 0);
  CHECK(story.last.effects == Effects{EvaluateOutputs{}});
}

TEST_CASE("a list over the limit fails its step instead of hanging it") {
  Story story{graph({S("a").each()})};
  story.expand(0, limits::kFanOutWidthMax + 1);
  CHECK(story.state.status == failed);
}

TEST_CASE("a person's retry keeps the items that have a response") {
  Story story{graph({S("a").each()})};
  story.expand(0, 3).offer(0, 3).report(1, 0).report(1, 1, Outcome::failed).report(1, 2);
  REQUIRE(story.state.status == failed);
  story.feed(Retry{}).offer(0, 3);
  REQUIRE(story.last.events.size() == 1);
  CHECK(std::get<Granted>(story.last.events[0]).items == IndexSet::one(1));
  story.report(2, 1);
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("a retry whose join is satisfied by what was kept completes the step") {
  Story story{graph({S("a").each(lang::Join::any)})};
  story.expand(0, 3).offer(0, 3);
  Report both{1, 1, {}};
  for (const ItemIndex item : {0U, 1U}) {
    auto& row = both.items.emplace_back();
    row.item = item;
    row.outcome = item == 0 ? Outcome::ok : Outcome::failed;
  }
  story.feed(both).report(1, 2, Outcome::failed);
  REQUIRE(story.state.status == failed);
  story.feed(Retry{});
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.owes(EvaluateOutputs{}));
}

TEST_CASE("a deadline fails the step, stops its attempt and takes no late response") {
  Story story{graph({S("a").deadline(seconds{5})})};
  story.run(0);
  CHECK(story.owes(Wake{6000}));
  story.now = 5999;
  CHECK(story.feed(TimerDue{}).last.events.empty());
  story.now = 6000;
  story.feed(TimerDue{});
  CHECK(story.state.steps[0].error->code == Code::deadline_exceeded);
  CHECK(story.owes(Stop{1}));
  CHECK(story.state.status == running);
  CHECK(story.report(1, 0).last.accepted.empty());
  CHECK(story.state.status == failed);
}

TEST_CASE("lost attempts do not use up max_attempts") {
  Story story{graph({S("a").attempts(1)})};
  story.run(0);
  for (GrantId grant = 1; grant <= 5; ++grant) story.lose().offer(0);
  CHECK(story.state.steps[0].tries.at(0).lost == 5);
  story.report(6, 0);
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("an attempt that failed is made again when its pause is over, until attempts are used up") {
  Story story{graph({S("a").attempts(2)})};
  story.run(0).report(1, 0, Outcome::failed, true);
  CHECK(story.owes(Wake{2000}));
  CHECK_FALSE(story.owes(Demand{{0, 1}}));
  story.now = 2000;
  story.feed(TimerDue{});
  CHECK(story.owes(Demand{{0, 1}}));
  story.offer(0).report(2, 0, Outcome::failed, true);
  CHECK(story.state.error->message == "step 'a': attempt 2: it fell over");
}

TEST_CASE("an at_most_once attempt that was lost waits for a person") {
  for (const int answer : {0, 1, 2}) {
    Story story{graph({S("a").at_most_once()})};
    story.run(0).lose();
    CHECK(outstanding(story.prepared, story.state).empty());
    CHECK(story.offer(0).last.events.empty());
    Resolve resolve{{0, 1}, IndexSet::one(0), std::monostate{}};
    if (answer == 0) resolve.outcome = inline_payload("1");
    if (answer == 1) resolve.outcome = make_error(Code::tool_failed, "it did not happen");
    story.feed(resolve);
    if (answer == 0) CHECK(story.status(0) == VisitStatus::completed);
    if (answer == 1) CHECK(story.state.status == failed);
    if (answer == 2) CHECK(story.owes(Demand{{0, 1}}));
    CHECK(story.feed(resolve).last.events.empty());
  }
}

TEST_CASE("an at_most_once attempt that was cut off is in doubt, not made again") {
  for (const auto code : {Code::tool_timeout, Code::tool_killed, Code::worker_lost, Code::in_doubt}) {
    Story story{graph({S("a").at_most_once().attempts(3)})};
    story.run(0);
    Report report{1, 1, {}};
    report.items.emplace_back().outcome = Outcome::failed;
    report.items.back().error = make_error(code, "cut off");
    story.feed(report);
    CHECK(story.state.steps[0].in_doubt.contains(0));
    CHECK(outstanding(story.prepared, story.state).empty());
  }
}

TEST_CASE("an at_most_once attempt that says 'not now' is made again") {
  Story story{graph({S("a").at_most_once().attempts(2)})};
  story.run(0).report(1, 0, Outcome::failed, true);
  CHECK(story.state.steps[0].in_doubt.empty());
  CHECK(story.state.steps[0].waiting.size() == 1);
}

TEST_CASE("what is in doubt stays so through a cancel and a retry") {
  Story story{graph({S("a").at_most_once()})};
  story.run(0).feed(Cancel{"enough"}).report(1, 0, Outcome::cancelled);
  CHECK(story.state.status == cancelled);
  story.feed(Retry{});
  CHECK(story.state.status == running);
  CHECK(story.state.steps[0].in_doubt.contains(0));
  CHECK_FALSE(story.owes(Demand{{0, 1}}));
  story.feed(Resolve{{0, 1}, IndexSet::one(0), inline_payload("1")});
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("a person answers for several items in doubt at once, and items that are not in doubt are passed over") {
  Story story{graph({S("a").each().at_most_once()})};
  story.expand(0, 4).offer(0, 3).lose();
  REQUIRE(story.state.steps[0].in_doubt == IndexSet::range(0, 3));
  story.feed(Resolve{{0, 1}, IndexSet::range(1, 9), make_error(Code::tool_failed, "neither went out")});
  CHECK(story.last.accepted == IndexSet::range(1, 3));
  CHECK(story.state.steps[0].in_doubt == IndexSet::one(0));
  story.feed(Resolve{{0, 1}, IndexSet::range(1, 9), inline_payload("1")});
  CHECK(story.last.events.empty());
}

TEST_CASE("a paused chain starts nothing, records what runs, and goes on where it was") {
  Story story{graph({S("a"), S("b").after({0}), S("c")})};
  story.run(0).feed(Pause{}).begin(2);
  CHECK(story.last.events.empty());
  story.report(1, 0);
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(outstanding(story.prepared, story.state).empty());
  story.feed(Unpause{});
  CHECK(story.last.effects == Effects{Evaluate{{1, 1}}, Evaluate{{2, 1}}});
}

TEST_CASE("an evaluation of a gate that is closed, passed or never was is ignored") {
  Story story{graph({S("a"), S("b").after({0})})};
  CHECK(story.begin(1).last.events.empty());
  story.begin(0);
  CHECK(story.feed(Evaluated{{0, 1}, Begin{}, {}}).last.events.empty());
  CHECK(story.feed(Evaluated{{0, 2}, Begin{}, {}}).last.events.empty());
  CHECK(story.feed(Evaluated{{9, 1}, Begin{}, {}}).last.events.empty());
}

TEST_CASE("a report of a closed grant, another incarnation or foreign items is ignored") {
  Story story{graph({S("a").each()})};
  story.expand(0, 2).offer(0);
  CHECK(story.report(1, 1).last.events.empty());
  CHECK(story.report(7, 0).last.events.empty());
  Report foreign{1, 99, {ItemReport{}}};
  CHECK(story.feed(foreign).last.events.empty());
  CHECK(story.report(1, 0).last.accepted == IndexSet::one(0));
  CHECK(story.report(1, 0).last.accepted.empty());
}

TEST_CASE("an item named twice in one report settles once, by its first row") {
  Story story{graph({S("a").each()})};
  story.expand(0, 2).offer(0, 2);
  Report twice{1, 1, {ItemReport{}, ItemReport{}}};
  twice.items[1].outcome = Outcome::failed;
  story.feed(twice);
  CHECK(story.state.steps[0].ok.test(0));
  CHECK_FALSE(story.state.steps[0].bad.test(0));
}

TEST_CASE("the limit on visits ends a loop that does not end by itself") {
  Story story{sequence({S("a").ok(lang::Go{0})}, 3)};
  for (GrantId grant = 1; grant <= 3; ++grant) story.run(0).report(grant, 0);
  CHECK(story.state.status == running);
  story.begin(0);
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::visits_exceeded);
}

TEST_CASE("a first success stops the rest, which change nothing any more") {
  Story story{graph({S("a").each(lang::Join::first_success)})};
  story.expand(0, 3).offer(0).offer(0).report(1, 0);
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.owes(Stop{2}));
  CHECK_FALSE(story.owes(EvaluateOutputs{}));
  CHECK(story.report(2, 1).last.accepted.empty());
  CHECK(story.owes(EvaluateOutputs{}));
}

TEST_CASE("a cancelled chain ends when what runs has stopped") {
  Story story{graph({S("a"), S("b")})};
  story.run(0).feed(Cancel{"enough"});
  CHECK(story.owes(Stop{1}));
  CHECK(story.state.status == running);
  story.report(1, 0, Outcome::cancelled);
  CHECK(story.state.status == cancelled);
  CHECK(story.feed(Cancel{"again"}).last.events.empty());
}

TEST_CASE("an attempt that a worker gives back counts for nothing and its item is free at once") {
  Story story{graph({S("a").each().attempts(2)})};
  story.expand(0, 3).offer(0, 3).report(1, 1, Outcome::returned);
  CHECK(story.state.steps[0].again == IndexSet::one(1));
  CHECK(story.state.steps[0].tries.empty());
  CHECK(story.state.steps[0].in_flight == 2);
  CHECK(story.owes(Demand{{0, 1}}));
  story.offer(0, 3);
  CHECK(story.state.grants.at(2).open == IndexSet::one(1));
  story.report(1, 0).report(1, 2).report(2, 1);
  CHECK(story.state.status == running);
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("an at_most_once attempt that is given back is not in doubt: it never began") {
  Story story{graph({S("a").at_most_once()})};
  story.run(0).report(1, 0, Outcome::returned);
  CHECK(story.state.steps[0].in_doubt.empty());
  CHECK(story.state.steps[0].again.contains(0));
}

TEST_CASE("a step is the more urgent the longer the way from it to the end") {
  const Story story{graph({S("a"), S("b").after({0}), S("c").after({0, 1}), S("d")})};
  CHECK(story.prepared.urgency == std::vector<std::uint32_t>{3, 2, 1, 1});
}

TEST_CASE("a quarantined chain takes nothing more, not even a late report") {
  Story story{graph({S("a")})};
  story.run(0).feed(Quarantine{make_error(Code::invariant_broken, "odd")});
  CHECK(story.state.status == quarantined);
  CHECK(story.report(1, 0).last.events.empty());
  CHECK(story.lose().last.events.empty());
}

TEST_CASE("a step of a sequence writes its variables when it completes") {
  Story story{sequence({S("a")})};
  story.run(0);
  Report made{1, 1, {ItemReport{}}};
  made.items[0].variables = {{"count", inline_payload("4")}};
  story.feed(made);
  CHECK(story.state.variables.at("count").text == "4");
  CHECK(story.owes(EvaluateOutputs{}));
}

TEST_CASE("a fan-out with transform_responses completes when its list is shaped, with the keys that were added") {
  Story story{graph({S("a").each().shaped(), S("b").after({0})})};
  story.expand(0, 2).offer(0, 2).report(1, 0).report(1, 1);
  CHECK(story.status(0) == VisitStatus::running);
  CHECK(story.last.effects == Effects{Shape{{0, 1}}});
  story.shape(0, inline_payload("{\"n\":2}"), {"look"});
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.state.steps[0].response.text == "{\"n\":2}");
  CHECK(std::get<Warned>(story.last.events.front()).message == "look");
  CHECK(story.last.effects == Effects{Evaluate{{1, 1}}});
}

TEST_CASE("an empty list is shaped too") {
  Story story{graph({S("a").each().shaped()})};
  story.expand(0, 0);
  CHECK(story.last.effects == Effects{Shape{{0, 1}}});
  story.shape(0, inline_payload("{}"));
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("while a list is to be shaped, what is still out stops and what it reports changes nothing") {
  Story story{graph({S("a").each(lang::Join::any).shaped()})};
  story.expand(0, 4).offer(0, 1).offer(0, 1).offer(0, 1).report(1, 0);
  CHECK(story.owes(Shape{{0, 1}}));
  CHECK(story.owes(Stop{2}));
  CHECK(story.owes(Stop{3}));
  CHECK_FALSE(story.owes(Demand{{0, 1}}));
  story.report(2, 1, Outcome::failed);
  CHECK(story.last.accepted.empty());
  CHECK(story.state.steps[0].bad.count() == 0);
  story.shape(0, inline_payload("{}"));
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.state.status == running);  // a grant is still open
  story.report(3, 2);
  CHECK(story.owes(EvaluateOutputs{}));
}

TEST_CASE("a chain whose list could not be shaped is retried by shaping it again: no item runs again") {
  Story story{graph({S("a").each().tolerate(1).shaped()})};
  story.expand(0, 2).offer(0, 2).report(1, 0).report(1, 1, Outcome::failed);
  story.shape(0, make_error(Code::expression_value, "no such member"));
  REQUIRE(story.state.status == failed);
  CHECK(story.state.error->message == "step 'a': no such member");
  story.feed(Retry{});
  CHECK(story.owes(Shape{{0, 1}}));
  CHECK_FALSE(story.owes(Demand{{0, 1}}));
  CHECK(story.state.steps[0].bad.test(1));
  story.shape(0, inline_payload("{}"));
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("a list that was not shaped when its chain ended is shaped after a retry") {
  Story story{graph({S("a").each().shaped()})};
  story.expand(0, 1).offer(0).report(1, 0).feed(Cancel{"enough"});
  REQUIRE(story.state.status == cancelled);
  story.shape(0, inline_payload("{}"));
  CHECK(story.last.events.empty());
  story.feed(Retry{});
  CHECK(story.last.effects == Effects{Shape{{0, 1}}});
}

TEST_CASE("a paused chain is not shaped before it goes on") {
  Story story{graph({S("a").each().shaped()})};
  story.expand(0, 1).offer(0).feed(Pause{}).report(1, 0);
  CHECK_FALSE(story.owes(Shape{{0, 1}}));
  story.feed(Unpause{});
  CHECK(story.last.effects == Effects{Shape{{0, 1}}});
}

TEST_CASE("a grant gets a number above the last one, and above what its offer says") {
  Story story{graph({S("a").each()})};
  story.expand(0, 4).offer(0).feed(Offer{{0, 1}, WorkerId{"w"}, 1, 1, 1000}).feed(Offer{{0, 1}, WorkerId{"w"}, 1, 1, 7}).offer(0);
  std::vector<GrantId> grants;
  for (const auto& [id, grant] : story.state.grants) grants.push_back(id);
  CHECK(grants == std::vector<GrantId>{1, 1001, 1002, 1003});
}

TEST_CASE("a person's word about an item in doubt comes too late for a list that is being shaped") {
  Story story{graph({S("a").each(lang::Join::any).at_most_once().shaped()})};
  story.expand(0, 2).offer(0, 1).lose().feed(Offer{{0, 1}, WorkerId{"w"}, 1, 1}).report(2, 1);
  REQUIRE(story.state.steps[0].in_doubt.contains(0));
  story.feed(Resolve{{0, 1}, IndexSet::one(0), inline_payload("1")});
  CHECK(story.last.events.empty());
}

TEST_CASE("a postponed attempt waits as long as it asks, counts for nothing but its number, and is made again") {
  Story story{graph({S("a")})};
  story.run(0);
  for (GrantId grant = 1; grant < 4; ++grant) {
    story.postpone(grant, 0, seconds{7});
    CHECK(story.state.steps[0].waiting.begin()->first == story.now + 7000);
    story.now += 7000;
    story.feed(TimerDue{}).offer(0);
    CHECK(story.state.steps[0].tries.at(0).failed == 0);
    CHECK(story.state.steps[0].tries.at(0).all() == grant);
  }
  story.report(4, 0);
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("postponed attempts use up none of those that may fail") {
  Story story{graph({S("a").attempts(2)})};
  story.run(0).postpone(1, 0, Millis{1});
  story.now += 10'000;
  story.feed(TimerDue{}).offer(0).report(2, 0, Outcome::failed, true);
  CHECK(story.status(0) == VisitStatus::running);
  story.now += 10'000;
  story.feed(TimerDue{}).offer(0).report(3, 0, Outcome::failed, true);
  CHECK(story.status(0) == VisitStatus::failed);
}

TEST_CASE("a deadline ends what is postponed past it") {
  Story story{graph({S("a").deadline(seconds{5})})};
  story.run(0).postpone(1, 0, seconds{60});
  CHECK(story.owes(Wake{6000}));
  story.now = 6000;
  story.feed(TimerDue{});
  CHECK(story.state.error->code == Code::deadline_exceeded);
}

TEST_CASE("a hundred thousand items that wait for one moment come back in one event, and go out as the window allows") {
  constexpr std::uint32_t kItems = 100'000;
  Story story{graph({S("a").each().window(kItems)})};
  story.expand(0, kItems).offer(0, kItems);
  Report later{1, 1, {}};
  for (ItemIndex item = 0; item < kItems; ++item) {
    auto& row = later.items.emplace_back();
    row.item = item;
    row.outcome = Outcome::failed;
    row.error = make_error(Code::postponed, "not yet");
    row.error.details = Json{{"retry_after_ms", 60'000}};
  }
  story.feed(std::move(later));
  CHECK(story.last.events.size() <= 2);
  CHECK(story.owes(Wake{61'000}));
  story.now = 61'000;
  story.feed(TimerDue{});
  REQUIRE(story.last.events.size() == 1);
  CHECK(std::get<RetryReleased>(story.last.events.front()).items == IndexSet::range(0, kItems));
  story.feed(Amend{.only = 0, .terms = {.window = 100, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}}).offer(0, kItems);
  CHECK(story.state.steps[0].in_flight == 100);
}

TEST_CASE("warnings of a response stand in the history before it is settled; those of a foreign report do not") {
  Story story{graph({S("a")})};
  story.run(0);
  Report made{1, 1, {}};
  made.items.emplace_back().response = inline_payload("1");
  made.items.front().warnings = {"truncated"};
  auto foreign = made;
  foreign.incarnation = 2;
  CHECK(story.feed(foreign).last.events.empty());
  story.feed(made);
  CHECK(std::get<Warned>(story.last.events.front()).message == "truncated");
}

}  // namespace catena::engine::test
