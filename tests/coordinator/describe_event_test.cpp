#include "coordinator/inspect/describe_event.hpp"

#include <catch2/catch.hpp>

namespace catena::engine {
namespace {

/// "load", then the fan-out "each".
lang::Program load_and_each() {
  lang::Program program;
  program.steps.resize(2);
  program.steps[0].id = "load";
  program.steps[1].id = "each";
  program.steps[1].each.emplace();
  return program;
}

std::string words(const Event& event) {
  static const auto kProgram = load_and_each();
  return coordinator::describe(event, &kProgram).text;
}

template <class Kind, class Set>
std::string words(Set set) {
  Kind event;
  set(event);
  return words(Event{std::move(event)});
}

constexpr VisitId kLoad{0, 1};
constexpr VisitId kEach{1, 1};

template <std::size_t... kind>
std::vector<Event> one_of_each_kind(std::index_sequence<kind...>) {
  return {std::variant_alternative_t<kind, Event>{}...};
}

}  // namespace

TEST_CASE("every event has words and its time, whatever of it is empty, with a program and without") {
  const auto known = load_and_each();
  std::vector<std::string> texts;
  for (auto& event : one_of_each_kind(std::make_index_sequence<std::variant_size_v<Event>>{})) {
    std::visit([](auto& e) { e.at = 7; }, event);
    INFO(to_json(event).dump());
    for (const auto* with : {static_cast<const lang::Program*>(nullptr), &known}) {
      const auto described = coordinator::describe(event, with);
      CHECK(described.at == 7);
      CHECK_FALSE(described.text.empty());
    }
    texts.push_back(words(event));
  }
  std::ranges::sort(texts);
  CHECK(std::ranges::adjacent_find(texts) == texts.end());
}

TEST_CASE("events of a chain say what became of it") {
  CHECK(words<ChainStarted>([&](auto& e) {
          e.package = "0123456789abcdef";
          e.steps = 2;
        }) == "chain started with 2 steps, package 0123456789ab");
  CHECK(words<ChainStarted>([&](auto& e) {
          e.package = "p";
          e.steps = 1;
          e.parent = {"up"};
        }) == "chain started for chain 'up' with 1 step, package p");
  CHECK(words<CancelRequested>([&](auto& e) { e.reason = "wrong week"; }) == "cancelling the chain: wrong week");
  CHECK(words<CancelRequested>([&](auto& e) { e.reason = "wrong week", e.by = "ann"; }) == "cancelling the chain (asked for by ann: wrong week)");
  CHECK(words<CancelRequested>([&](auto& e) { e.by = "ann", e.now = true; }) == "killing the chain (asked for by ann)");
  CHECK(words<ChainFinished>([&](auto& e) { e.status = ChainStatus::succeeded; }) == "chain succeeded");
  CHECK(words<ChainFinished>([&](auto& e) {
          e.status = ChainStatus::failed;
          e.error = make_error(Code::tool_failed, "no luck");
        }) == "chain failed: [tool_failed] no luck");
  CHECK(words<PauseChanged>([&](auto& e) { e.paused = true; }) == "chain paused");
  CHECK(words<PauseChanged>([&](auto& e) { e.paused = true, e.by = "ann", e.reason = "lunch"; }) == "chain paused by ann: lunch");
  CHECK(words<PauseChanged>([&](auto& e) { e.paused = e.above = true; }) == "chain paused, as the one that started it is");
  CHECK(words<Amended>([&](auto& e) { e.priority = 3, e.terms.attempts = 2, e.by = "ann"; }) == "chain amended: priority 3, 2 attempts by ann");
  CHECK(words<Amended>([&](auto& e) { e.deadline_at = 5000, e.by = "ann"; }) == "chain amended: deadline 1970-01-01T00:00:05.000Z by ann");
  CHECK(words<Amended>([&](auto& e) { e.deadline_at = 0, e.reason = "why"; }) == "chain amended: no deadline: why");
  CHECK(words<SignalReceived>([&](auto& e) { e.number = 2, e.name = "go", e.by = "ann", e.reason = "why"; }) == "signal 2 'go' came by ann: why");
  CHECK(words<SignalConsumed>([&](auto& e) { e.visit = kLoad, e.number = 2; }) == "step load takes signal 2");
  CHECK(words<ApprovalAsked>([&](auto& e) { e.visit = kLoad, e.items = IndexSet::one(0); }) == "step load waits for approval");
  CHECK(words<ApprovalAsked>([&](auto& e) { e.visit = kEach, e.items = IndexSet::range(0, 3), e.until = 5000; }) ==
        "step each items 0-2 wait for approval until 1970-01-01T00:00:05.000Z");
  CHECK(words<ApprovalAnswered>([&](auto& e) {
          e.visit = kLoad, e.items = IndexSet::one(0), e.approved = true, e.by = "ann", e.reason = "fine";
          e.arguments = inline_payload("{}");
        }) == "step load is approved with other arguments by ann: fine");
  CHECK(words<ApprovalAnswered>([&](auto& e) { e.visit = kEach, e.items = IndexSet::one(2), e.reason = "late"; }) ==
        "step each item 2 is rejected: late");
  CHECK(words<RetryRequested>([&](auto& e) { e.steps = {{.step = 0}, {.step = 1}}; }) == "chain runs again: steps load, each");
  CHECK(words<ChainForked>([&](auto& e) {
          e.source = ChainId{"old"}, e.back_to = 0, e.steps = {{.step = 0}, {.step = 1}}, e.other_arguments = true, e.by = "ann", e.reason = "why";
        }) == "chain forked from 'old', back to step load, with other arguments: steps load, each (asked for by ann: why)");
}

TEST_CASE("steps have their names, numbers without a program, and later visits a number") {
  CHECK(words<VisitEntered>([&](auto& e) { e.visit = kLoad; }) == "step load entered");
  CHECK(words<VisitEntered>([&](auto& e) { e.visit = {0, 3}; }) == "step load (visit 3) entered");
  VisitEntered entered;
  entered.visit = kEach;
  CHECK(coordinator::describe(entered, nullptr).text == "step #1 entered");
  CHECK(words<VisitEntered>([&](auto& e) { e.visit = {9, 1}; }) == "step #9 entered");
  CHECK(words<Jumped>([&](auto& e) {
          e.from = 0;
          e.to = 1;
        }) == "after step load goes on with step each");
  CHECK(words<StateWritten>([&](auto& e) {
          e.step = 0;
          e.variables = {{"a", inline_payload("1")}, {"b", inline_payload("2")}};
        }) == "step load sets a, b");
}

TEST_CASE("items are shown where a step fans out, as runs, and not without end") {
  CHECK(words<ItemsExpanded>([&](auto& e) {
          e.visit = kEach;
          e.width = 1;
        }) == "step each fans out over 1 item");
  CHECK(words<Granted>([&](auto& e) {
          e.grant = 4;
          e.visit = kLoad;
          e.worker = {"w"};
          e.items = IndexSet::one(0);
        }) == "step load goes to worker 'w' (grant 4)");
  CHECK(words<Granted>([&](auto& e) {
          e.grant = 4;
          e.visit = kEach;
          e.worker = {"w"};
          e.items = IndexSet::range(0, 100);
        }) == "step each items 0-99 go to worker 'w' (grant 4)");
  CHECK(words<RetryArmed>([&](auto& e) {
          e.visit = kEach;
          e.items = IndexSet::one(3);
          e.after = {0};
        }) == "step each item 3 is tried again at 1970-01-01T00:00:00.000Z");
  CHECK(words<RetryArmed>([&](auto& e) {
          e.visit = kEach;
          e.items = IndexSet::range(3, 6);
          e.after = {2000, 1000, 1500};
        }) == "step each items 3-5 are tried again from 1970-01-01T00:00:01.000Z to 1970-01-01T00:00:02.000Z");
  IndexSet scattered;
  for (std::uint32_t i = 0; i < 12; i += 2) scattered.insert(i);
  CHECK(words<DoubtCleared>([&](auto& e) {
          e.visit = kEach;
          e.items = scattered;
        }) == "step each items 0, 2, 4, 6 and 2 more runs are run again (resolved by a person)");
}

TEST_CASE("items that settle say which responded, which failed, and whether a person said so") {
  CHECK(words<ItemsSettled>([&](auto& e) {
          e.grant = 1;
          e.visit = kLoad;
          e.ok = IndexSet::one(0);
        }) == "step load responded");
  CHECK(words<ItemsSettled>([&](auto& e) {
          e.visit = kLoad;
          e.ok = IndexSet::one(0);
        }) == "step load responded (resolved by a person)");
  CHECK(words<ItemsSettled>([&](auto& e) { e.visit = kLoad, e.ok = IndexSet::one(0), e.by = "ann", e.reason = "I saw it"; }) ==
        "step load responded (resolved by ann: I saw it)");
  const auto error = make_error(Code::tool_failed, "no luck");
  CHECK(words<ItemsSettled>([&](auto& e) {
          e.grant = 1;
          e.visit = kLoad;
          e.bad = IndexSet::one(0);
          e.error = error;
        }) == "step load failed: [tool_failed] no luck");
  CHECK(words<ItemsSettled>([&](auto& e) {
          e.grant = 1;
          e.visit = kEach;
          e.ok = IndexSet::range(0, 3);
          e.bad = IndexSet::one(3);
          e.error = error;
        }) == "step each: items 0-2 responded, item 3 failed: [tool_failed] no luck");
  CHECK(words<ItemsSettled>([&](auto& e) {
          e.grant = 1;
          e.visit = kEach;
          e.bad = IndexSet::one(3);
        }) == "step each: item 3 failed");
}

TEST_CASE("what a person decided says who and why, and of records that do not know who, that a person did") {
  CHECK(words<DoubtCleared>([&](auto& e) { e.visit = kLoad, e.by = "ann", e.reason = "it did not go out"; }) ==
        "step load is run again (resolved by ann: it did not go out)");
  CHECK(words<ItemsGiven>([&](auto& e) { e.visit = kEach, e.items = IndexSet::one(2), e.by = "ann", e.reason = "known"; }) ==
        "step each item 2 has a response given by ann: known");
  CHECK(words<ItemsGiven>([&](auto& e) { e.visit = kEach, e.items = IndexSet::range(0, 2); }) ==
        "step each items 0-1 have a response given by a person");
  CHECK(words<VisitSettled>([&](auto& e) { e.visit = kLoad, e.given = true, e.by = "ann", e.reason = "known"; }) ==
        "step load completed (its response was given by ann: known)");
  CHECK(words<VisitSettled>([&](auto& e) { e.visit = kLoad; }) == "step load completed");
}

TEST_CASE("an event as an object has who asked and why, and a deadline as a time, or null where it was taken off") {
  const auto json = [](Event event) { return coordinator::describe_json(event, nullptr); };
  const auto check_said = [&](auto e) {
    e.by = "ann";
    e.reason = "why";
    const auto event = json(std::move(e));
    CHECK(event["by"] == "ann");
    CHECK(event["reason"] == "why");
  };
  check_said(ItemsGiven{});
  check_said(ItemsSettled{});
  check_said(DoubtCleared{});
  check_said(VisitSettled{});
  check_said(CancelRequested{});
  CHECK_FALSE(json(VisitSettled{}).contains("by"));
  Amended amended;
  CHECK_FALSE(json(amended).contains("deadline"));
  amended.deadline_at = 5000;
  CHECK(json(amended)["deadline"] == "1970-01-01T00:00:05.000Z");
  CHECK_FALSE(json(amended).contains("deadline_at"));
  amended.deadline_at = 0;
  CHECK(json(amended).contains("deadline"));
  CHECK(json(amended)["deadline"].is_null());
}

TEST_CASE("attempts that end say how, and whether they are in doubt") {
  CHECK(words<AttemptsEnded>([&](auto& e) {
          e.grant = 1;
          e.visit = kLoad;
          e.items = IndexSet::one(0);
          e.how = Ended::failed;
        }) == "step load: attempt failed");
  CHECK(words<AttemptsEnded>([&](auto& e) {
          e.grant = 1;
          e.visit = kLoad;
          e.items = IndexSet::one(0);
          e.how = Ended::lost;
          e.in_doubt = true;
        }) == "step load: attempt was lost with its worker and is in doubt");
  CHECK(words<AttemptsEnded>([&](auto& e) {
          e.grant = 1;
          e.visit = kEach;
          e.items = IndexSet::one(2);
          e.how = Ended::cancelled;
        }) == "step each item 2: attempt was cancelled");
  CHECK(words<AttemptsEnded>([&](auto& e) {
          e.grant = 1;
          e.visit = kEach;
          e.items = IndexSet::one(2);
          e.how = Ended::postponed;
        }) == "step each item 2: attempt asks to be made again later");
}

}  // namespace catena::engine
