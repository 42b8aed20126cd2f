// What a person's retry opens again, and what it leaves.
#include "engine/repair.hpp"

#include <catch2/catch.hpp>

#include "tests/engine/story.hpp"

namespace catena::engine::test {
namespace {

Story& begin_with(Story& story, StepIndex step, std::string arguments, bool same) {
  return story.feed(Evaluated{{step, story.state.steps[step].visit + 1}, Begin{inline_payload(std::move(arguments)), same}, {}});
}

/// a, b behind a, c behind b; c failed.
Story line_that_failed() {
  Story story{graph({S("a"), S("b").after({0}), S("c").after({1})})};
  for (const StepIndex step : {0U, 1U}) story.run(step).report(story.state.last_grant, 0);
  story.run(2).report(story.state.last_grant, 0, Outcome::failed);
  REQUIRE(story.state.status == ChainStatus::failed);
  return story;
}

std::vector<StepIndex> opened(const Story& story, const Retry& retry) {
  std::vector<StepIndex> steps;
  for (const auto& repair : plan_repair(story.prepared, story.state, retry)) steps.push_back(repair.step);
  return steps;
}

}  // namespace

TEST_CASE("a retry opens what failed, and with a step that it names what depends on it") {
  const auto story = line_that_failed();
  CHECK(opened(story, Retry{}) == std::vector<StepIndex>{2});
  CHECK(opened(story, Retry{.anew = {1}}) == std::vector<StepIndex>{1, 2});
  CHECK(opened(story, Retry{.compared = {0}}) == std::vector<StepIndex>{0, 1, 2});
  const auto plan = plan_repair(story.prepared, story.state, Retry{.compared = {0}});
  CHECK(plan[1].reason == RepairReason::behind);
  CHECK(plan[1].behind == 0);
  CHECK(plan[1].reopened.keep);
}

TEST_CASE("a step behind one that runs again keeps its response where its arguments are the same") {
  auto story = line_that_failed();
  const auto response = story.state.steps[1].response;
  story.feed(Retry{.anew = {0}});
  CHECK(story.status(0) == VisitStatus::blocked);
  story.run(0).report(story.state.last_grant, 0);
  SECTION("the same") {
    begin_with(story, 1, "{}", true);
    CHECK(story.status(1) == VisitStatus::completed);
    CHECK(story.state.steps[1].visit == 2);
    CHECK(story.state.steps[1].response == response);
    CHECK(story.owes(Evaluate{{2, 2}}));
  }
  SECTION("others") {
    begin_with(story, 1, R"({"n":2})", false);
    CHECK(story.status(1) == VisitStatus::running);
    CHECK(story.owes(Demand{{1, 2}}));
  }
}

TEST_CASE("a failed step behind one that runs again has nothing to keep, whatever its arguments") {
  auto story = line_that_failed();
  story.feed(Retry{.compared = {1}});
  begin_with(story, 1, "{}", true);
  REQUIRE(story.status(1) == VisitStatus::completed);
  begin_with(story, 2, "{}", true);
  CHECK(story.status(2) == VisitStatus::running);
}

TEST_CASE("of a fan-out that is compared, items of the same arguments stay and the others run") {
  Story story{graph({S("a").each(), S("b").after({0})})};
  story.expand(0, 3).offer(0, 3);
  const auto grant = story.state.last_grant;
  for (const ItemIndex item : {0U, 1U, 2U}) story.report(grant, item);
  story.run(1).report(story.state.last_grant, 0, Outcome::failed);
  story.feed(Retry{.compared = {0}});
  story.feed(Evaluated{{0, 2}, Expand{4, {}, IndexSet::range(0, 2)}, {}});
  const auto& visit = story.state.steps[0];
  CHECK(visit.ok.count() == 2);
  CHECK(visit.again == IndexSet::range(2, 4));
  CHECK_FALSE(visit.former.has_value());
}

TEST_CASE("the only failures that run again are those that ended the chain, unless all are asked for") {
  Story story{graph({S("a").each().tolerate(1), S("b").after({0})})};
  story.expand(0, 3).offer(0, 3);
  const auto grant = story.state.last_grant;
  story.report(grant, 0).report(grant, 1, Outcome::failed).report(grant, 2);
  story.run(1).report(story.state.last_grant, 0, Outcome::failed);
  CHECK(opened(story, Retry{}) == std::vector<StepIndex>{1});
  const auto plan = plan_repair(story.prepared, story.state, Retry{.only_failed = true});
  REQUIRE(plan.size() == 2);
  CHECK(items_to_run(story.state.steps[0], plan[0].reopened) == 1);
  story.feed(Retry{.only_failed = true});
  CHECK(story.state.steps[0].again == IndexSet::one(1));
  CHECK(story.status(1) == VisitStatus::blocked);
}

TEST_CASE("items that a retry names run again whatever they have, and other failures of a completed step stand") {
  Story story{graph({S("a").each().tolerate(1), S("b").after({0})})};
  story.expand(0, 4).offer(0, 4);
  const auto grant = story.state.last_grant;
  story.report(grant, 0).report(grant, 1, Outcome::failed).report(grant, 2).report(grant, 3);
  story.run(1).report(story.state.last_grant, 0, Outcome::failed);
  const Retry retry{.items = {{0, IndexSet::range(2, 4)}}};
  const auto plan = plan_repair(story.prepared, story.state, retry);
  CHECK(items_to_run(story.state.steps[0], plan.front().reopened) == 2);
  story.feed(retry);
  CHECK(story.state.steps[0].again == IndexSet::range(2, 4));
  CHECK(story.state.steps[0].bad.count() == 1);
}

TEST_CASE("failures that a retry does not name stand in a step that failed, as many as it tolerates") {
  Story story{graph({S("a").each().tolerate(1), S("b").after({0})})};
  story.expand(0, 4).offer(0, 4);
  const auto grant = story.state.last_grant;
  story.report(grant, 0).report(grant, 1, Outcome::failed).report(grant, 2, Outcome::failed).report(grant, 3);
  REQUIRE(story.status(0) == VisitStatus::failed);
  SECTION("enough is named: the others stay as they are") {
    const Retry retry{.items = {{0, IndexSet::one(1)}}, .failures_stand = true};
    const auto plan = plan_repair(story.prepared, story.state, retry);
    CHECK(plan.front().reopened.failures_stand);
    const auto runs = items_to_run(story.state.steps[0], plan.front().reopened);
    story.feed(retry);
    CHECK(story.state.steps[0].again.contains(1));
    CHECK_FALSE(story.state.steps[0].again.contains(2));
    CHECK(story.state.steps[0].bad.test(2));
    CHECK(runs == story.state.steps[0].again.size());
  }
  SECTION("nothing is named: they are too many to stand, and all run again") {
    const Retry retry{.failures_stand = true};
    CHECK_FALSE(plan_repair(story.prepared, story.state, retry).front().reopened.failures_stand);
    story.feed(retry);
    CHECK(story.state.steps[0].again.contains(1));
    CHECK(story.state.steps[0].again.contains(2));
    CHECK(story.state.steps[0].bad.count() == 0);
  }
}

TEST_CASE("a retry may bring a definition with more steps, which wait for their turn") {
  auto story = line_that_failed();
  story.prepared = prepared_of(graph({S("a"), S("b").after({0}), S("c").after({1}), S("d").after({2})}));
  story.feed(Retry{.package = "later", .definition = "other"});
  CHECK(story.state.package == "later");
  CHECK(story.state.definition == "other");
  REQUIRE(story.state.steps.size() == 4);
  CHECK(story.status(3) == VisitStatus::blocked);
}

TEST_CASE("a sequence goes on at the step that a retry names, and nowhere else") {
  Story story{sequence({S("a").ok(lang::Go{1}), S("b").ok(lang::Go{2}), S("c")})};
  for (const StepIndex step : {0U, 1U}) story.run(step).report(story.state.last_grant, 0);
  story.run(2).report(story.state.last_grant, 0, Outcome::failed);
  story.feed(Retry{.anew = {1}});
  CHECK(story.state.entering == 1);
  CHECK(story.owes(Evaluate{{1, 2}}));
  CHECK(story.status(2) == VisitStatus::failed);
}

TEST_CASE("a step that is given a response is not run: what it waits for and what runs of it ends") {
  Story story{graph({S("a").attempts(2), S("b").after({0})})};
  const Substitute given{0, IndexSet::one(0), inline_payload("5"), {}};
  SECTION("while it runs") {
    story.run(0).feed(given);
    CHECK(story.owes(Stop{story.state.last_grant}));
  }
  SECTION("while it waits for another attempt") { story.run(0).report(story.state.last_grant, 0, Outcome::failed, true).feed(given); }
  SECTION("when its turn has come") { story.feed(given); }
  SECTION("after it has failed the chain") { story.run(0).report(story.state.last_grant, 0, Outcome::failed).feed(given); }
  CHECK(story.state.status == ChainStatus::running);
  CHECK(story.status(0) == VisitStatus::completed);
  CHECK(story.state.steps[0].response.text == "5");
}

TEST_CASE("a step whose turn has not come is given nothing, and one that has a response neither") {
  Story story{graph({S("a"), S("b").after({0})})};
  story.feed(Substitute{1, IndexSet::one(0), inline_payload("5"), {}});
  CHECK(story.last.events.empty());
  story.run(0).report(story.state.last_grant, 0).run(1).report(story.state.last_grant, 0, Outcome::failed);
  story.feed(Substitute{0, IndexSet::one(0), inline_payload("5"), {}});
  CHECK(story.last.events.empty());
  CHECK(story.state.status == ChainStatus::failed);
}

TEST_CASE("items that are given a response count as done, and the failed ones beside them run again") {
  Story story{graph({S("a").each()})};
  story.expand(0, 3).offer(0, 3);
  const auto grant = story.state.last_grant;
  story.report(grant, 0).report(grant, 1, Outcome::failed).report(grant, 2, Outcome::failed);
  story.feed(Substitute{0, IndexSet::one(1), inline_payload("5"), {}});
  CHECK(story.last.accepted == IndexSet::one(1));
  CHECK(story.state.steps[0].ok.test(1));
  CHECK(story.state.steps[0].again == IndexSet::one(2));
}

}  // namespace catena::engine::test
