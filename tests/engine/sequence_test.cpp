// What sequences, loops and plans ask of the engine: jumps, counters, rounds that carry on, failures that end a chain late.
#include <catch2/catch.hpp>

#include "engine/history.hpp"
#include "tests/engine/story.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;

lang::Program with_sequence_result(lang::Program program) {
  program.outputs = lang::SequenceResult{};
  return program;
}

}  // namespace

TEST_CASE("a retry of a step that counts them writes the count into the state") {
  Story story{sequence({S("a").attempts(3).any_failure("step_0_retry_count")})};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.state.variables.at("step_0_retry_count").text == "1");
  story.now += 60'000;
  story.feed(TimerDue{}).offer(0).report(2, 0, Outcome::failed);
  CHECK(story.state.variables.at("step_0_retry_count").text == "2");
  story.now += 60'000;
  story.feed(TimerDue{}).offer(0).report(3, 0, Outcome::failed);
  CHECK(story.state.status == failed);
  CHECK(story.state.error->message == "step 'a': attempt 3: it fell over");
}

TEST_CASE("any failure of a tool is tried again where the policy says so, one of evaluation is not") {
  const auto fails_with = [](Code code) {
    Story story{sequence({S("a").attempts(2).any_failure("n")})};
    story.run(0);
    Report made{1, 1, {ItemReport{}}};
    made.items[0].outcome = Outcome::failed;
    made.items[0].error = make_error(code, "no");
    story.feed(made);
    return story.state.status;
  };
  CHECK(fails_with(Code::tool_failed) == running);
  CHECK(fails_with(Code::child_failed) == running);
  CHECK(fails_with(Code::response_missing) == failed);
  CHECK(fails_with(Code::argument_missing) == failed);
}

TEST_CASE("a step that blames itself in its own words says nothing of attempts") {
  auto program = graph({S("a")});
  program.steps[0].blame = "Step \"x\" (tool: \"y\") failed";
  Story story{std::move(program)};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.state.error->message == "Step \"x\" (tool: \"y\") failed: it fell over");
}

TEST_CASE("a round that carries on waits for the retry of the one before") {
  Story story{sequence({S("a").each().carries().attempts(3)})};
  story.expand(0, 3).offer(0, 3);
  CHECK(story.state.grants.at(1).open == IndexSet::one(0));
  story.report(1, 0, Outcome::failed, true);
  CHECK(story.offer(0, 3).last.events.empty());
  story.now += 60'000;
  story.feed(TimerDue{}).offer(0, 3);
  CHECK(story.state.grants.at(2).open == IndexSet::one(0));
  story.report(2, 0).offer(0, 3);
  CHECK(story.state.grants.at(3).open == IndexSet::one(1));
}

TEST_CASE("what the rounds of a block leave is written before the step completes") {
  Story story{sequence({S("a").each().carries(), S("b")})};
  story.feed(Evaluated{{0, 1}, Expand{0, {}}, {}});
  CHECK(story.owes(Shape{{0, 1}}));
  story.feed(Shaped{{0, 1}, Payload{}, {}, {{"sum", inline_payload("7")}}});
  CHECK(story.state.variables.at("sum").text == "7");
  CHECK(std::holds_alternative<StateWritten>(story.last.events.front()));
  CHECK(story.status(0) == VisitStatus::completed);
}

TEST_CASE("a branch begins with the step that its start names") {
  const auto prepared = prepared_of(sequence({S("a").ok(lang::FinishOk{}), S("b").ok(lang::FinishOk{})}));
  ChainState state;
  Start start;
  start.entry = 1;
  CHECK(decide(prepared, state, {start, 1}).effects == Effects{Evaluate{{1, 1}}});
}

TEST_CASE("a failed chain that answers is asked for its response first, and has it beside the error") {
  Story story{with_sequence_result(sequence({S("a")}))};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.state.status == running);
  CHECK(outstanding(story.prepared, story.state) == Effects{EvaluateOutputs{}});
  story.feed(OutputsEvaluated{inline_payload("{}")});
  CHECK(story.state.status == failed);
  CHECK(story.state.response.text == "{}");
  CHECK(story.state.error->message == "step 'a': attempt 1: it fell over");
}

TEST_CASE("a failed chain whose response cannot be made fails with what it failed with") {
  Story story{with_sequence_result(sequence({S("a")}))};
  story.run(0).report(1, 0, Outcome::failed).feed(OutputsEvaluated{make_error(Code::storage_corrupt, "gone")});
  CHECK(story.state.status == failed);
  CHECK(story.state.error->code == Code::tool_failed);
}

TEST_CASE("a chain that was cancelled while it failed ends without a response") {
  Story story{with_sequence_result(graph({S("a"), S("b")}))};
  story.run(0).run(1).report(1, 0, Outcome::failed).feed(Cancel{"enough"}).report(2, 0);
  CHECK(story.state.status == failed);
  CHECK(story.state.response.empty());
}

TEST_CASE("a failure that counts at the end lets the other branches go on") {
  Story story{graph({S("a").failed(lang::FailAtEnd{}), S("b"), S("c").after({1})})};
  story.run(0).report(1, 0, Outcome::failed);
  CHECK(story.state.status == running);
  story.run(1).report(2, 0).run(2).report(3, 0);
  CHECK(story.owes(EvaluateOutputs{}));
  story.feed(OutputsEvaluated{inline_payload("{}")});
  CHECK(story.state.status == failed);
  CHECK(story.state.response.text == "{}");
  CHECK(story.state.error->message == "step 'a': attempt 1: it fell over");
}

TEST_CASE("a person's retry runs again what failed at the end and what was skipped behind it, and nothing else") {
  Story story{graph({S("a").failed(lang::FailAtEnd{}), S("b").after({0}), S("c").after({1}), S("d")})};
  story.run(3).report(1, 0).run(0).report(2, 0, Outcome::failed);
  story.feed(Evaluated{{1, 1}, Skip{}, {}}).feed(Evaluated{{2, 1}, Skip{}, {}}).feed(OutputsEvaluated{inline_payload("{}")});
  REQUIRE(story.state.status == failed);
  story.feed(Retry{});
  CHECK(story.status(0) == VisitStatus::running);
  CHECK(story.status(1) == VisitStatus::blocked);
  CHECK(story.status(2) == VisitStatus::blocked);
  CHECK(story.status(3) == VisitStatus::completed);
  story.offer(0).report(3, 0).run(1).report(4, 0).run(2).report(5, 0).feed(OutputsEvaluated{inline_payload("{}")});
  CHECK(story.state.status == succeeded);
}

namespace {

/// Drives a story and folds all of its events.
History told(const std::vector<Event>& events) {
  History history;
  for (const auto& event : events) history.add(event);
  return history;
}

}  // namespace

TEST_CASE("the history has every attempt, and the outcomes one row a visit") {
  const VisitId first{0, 1}, second{1, 1}, third{0, 2};
  const auto error = make_error(Code::tool_failed, "no");
  const auto history = told({
      VisitEntered{first, {}, 0, 10},
      AttemptsEnded{1, first, IndexSet::one(0), Ended::failed, false, error, 11},
      AttemptsEnded{2, first, IndexSet::one(0), Ended::postponed, false, error, 12},
      VisitSettled{first, VisitStatus::completed, inline_payload("1"), std::nullopt, false, 13},
      VisitSkipped{second, 14},
      VisitEntered{third, {}, 0, 15},
      ItemsSettled{3, third, {}, IndexSet::one(0), error, 16, 1},
      VisitSettled{third, VisitStatus::failed, {}, error, true, 16},
  });
  std::vector<std::string> lines;
  for (const auto& entry : history.entries()) {
    lines.push_back(std::to_string(entry.visit.step) + "@" + std::to_string(entry.visit.visit) + " " + std::to_string(entry.attempt) + " " +
                    std::string{name(entry.status)} + " " + std::to_string(entry.at));
  }
  CHECK(lines == std::vector<std::string>{"0@1 1 failed 11", "0@1 2 success 13", "1@1 1 skipped 14", "0@2 1 failed 16"});
  CHECK(history.outcomes().size() == 3);
}

TEST_CASE("a visit that a person's retry reopened counts as what it became then") {
  const VisitId visit{0, 1};
  const auto error = make_error(Code::tool_failed, "no");
  const auto history = told({
      VisitEntered{visit, {}, 0, 10},
      ItemsSettled{1, visit, {}, IndexSet::one(0), error, 11, 1},
      VisitSettled{visit, VisitStatus::failed, {}, error, true, 11},
      RetryRequested{{{0, 0, false, false}}, 0, 12},
      VisitSettled{visit, VisitStatus::completed, inline_payload("1"), std::nullopt, false, 13},
  });
  CHECK(history.entries().size() == 2);
  REQUIRE(history.outcomes().size() == 1);
  CHECK(history.outcomes().front()->status == Tried::success);
  CHECK(history.outcomes().front()->attempt == 2);
}

}  // namespace catena::engine::test
