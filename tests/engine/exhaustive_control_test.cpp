// Every schedule of tiny programs that people and deadlines interfere with: no deadlock, no broken rule, and only the ends that can be.
#include <catch2/catch.hpp>

#include "tests/engine/exhaustive.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using enum lang::Join;
using std::chrono::seconds;

/// What a person has run again besides what failed, and what stays then.
std::vector<Case> repairs() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto changes = [](VisitId) { return false; };
  const auto fails_first = [](StepIndex step) {
    return [=](VisitId id, ItemIndex, unsigned execution) {
      return id.step == step && id.visit == 1 && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
    };
  };
  const Retry from_a{.anew = {0}}, compare_a{.compared = {0}}, all_failed{.only_failed = true}, item_0{.items = {{0, IndexSet::one(0)}}};
  const auto line = [] { return graph({S("a"), S("b").after({0}), S("c").after({1})}); };
  add("the last of three fails, from the first on", scenario(line(), {.crashes = 1, .retries = 1}), {succeeded, failed}).wishes = {from_a, Retry{}};
  cases.back().scenario.answers = fails_first(2);
  add("the same, with other arguments", scenario(line(), {.crashes = 1, .retries = 1}), {succeeded, failed}).wishes = {compare_a};
  cases.back().scenario.answers = fails_first(2);
  cases.back().scenario.same = changes;
  add("compared, and a second retry before it was entered", scenario(line(), {.cancels = 1, .retries = 2}), {succeeded, failed, cancelled}).wishes = {
      compare_a, from_a};
  cases.back().scenario.answers = fails_first(2);
  auto& observed = add("what had seen a failure is evaluated again",
                       scenario(graph({S("a").failed(lang::FailAtEnd{}), S("b").after({0})}), {.crashes = 1, .retries = 1}), {succeeded, failed});
  observed.answers = answering(0, kFatal, kOk);
  observed.same = changes;
  auto& tolerated = add("tolerated failures run again when they are asked for",
                        scenario(graph({S("a").each().tolerate(2), S("b").after({0})}), {.retries = 1}), {succeeded, failed});
  tolerated.answers = [](VisitId id, ItemIndex item, unsigned execution) {
    if (id.step == 1) return id.visit == 1 && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
    return item == 1 && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
  };
  tolerated.wishes = {all_failed};
  const Retry first_only{.items = {{0, IndexSet::one(0)}}, .failures_stand = true};
  const auto item_fails_once = [](VisitId id, ItemIndex, unsigned execution) {
    return id.step == 0 && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
  };
  add("of a step that failed some failures stand, and are tolerated",
      scenario(graph({S("a").each().tolerate(1), S("b").after({0})}), {.crashes = 1, .retries = 1}), {succeeded, failed})
      .wishes = {first_only};
  cases.back().scenario.answers = item_fails_once;
  add("some failures stand, over a loss and a second retry", scenario(graph({S("a").each().tolerate(1)}), {.losses = 1, .retries = 2}),
      {succeeded, failed})
      .wishes = {first_only, Retry{}};
  cases.back().scenario.answers = item_fails_once;
  add("failures that are too many to stand run again", scenario(graph({S("a").each()}), {.crashes = 1, .retries = 1}), {succeeded, failed}).wishes = {
      first_only};
  cases.back().scenario.answers = item_fails_once;
  add("some failures stand of a list that is shaped, which may be cancelled",
      scenario(graph({S("a").each().tolerate(1).shaped(), S("b").after({0})}), {.cancels = 1, .retries = 1}), {succeeded, failed, cancelled})
      .wishes = {first_only};
  cases.back().scenario.answers = item_fails_once;
  for (const bool same : {true, false}) {
    auto& fan_out = add(same ? "items of the same arguments keep their results" : "items of other arguments run again",
                        scenario(graph({S("a").each().shaped(), S("b").after({0})}), {.crashes = 1, .retries = 1}), {succeeded, failed});
    fan_out.answers = fails_first(1);
    fan_out.wishes = {compare_a, item_0};
    fan_out.same = [=](VisitId) { return same; };
  }
  auto& narrower =
      add("a list that has become shorter", scenario(graph({S("a").each(), S("b").after({0})}), {.losses = 1, .retries = 1}), {succeeded, failed});
  narrower.answers = fails_first(1);
  narrower.wishes = {compare_a};
  narrower.width = [](VisitId id) { return id.visit == 1 ? 2U : 1U; };
  auto& sequence_back =
      add("a sequence goes on where it is told",
          scenario(sequence({S("a").ok(lang::Go{1}), S("b").ok(lang::Go{2}), S("c")}), {.crashes = 1, .retries = 1}), {succeeded, failed});
  sequence_back.answers = fails_first(2);
  sequence_back.wishes = {from_a};
  add("a response is given at any point", scenario(graph({S("a").attempts(2), S("b").after({0})}), {.crashes = 1, .cancels = 1, .gifts = 1}),
      {succeeded, failed, cancelled})
      .answers = answering(0, kFailed | kFatal, kOk);
  add("items are given a response at any point", scenario(graph({S("a").each().tolerate(1), S("b").after({0})}), {.losses = 1, .gifts = 1}),
      {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("items of a list that is shaped are given", scenario(graph({S("a").each().shaped()}), {.gifts = 2}), {succeeded, failed}).answers =
      answering(0, kEither, kFatal);
  add("at most once, lost, and given", scenario(graph({S("a").at_most_once(), S("b").after({0})}), {.losses = 1, .resolves = 1, .gifts = 1}),
      {succeeded, failed});
  add("a step of a sequence is given", scenario(sequence({S("a").ok(lang::Go{1}), S("b")}), {.crashes = 1, .gifts = 1}), {succeeded, failed})
      .answers = answering(0, kEither, kOk);
  return cases;
}

/// Pauses of a person and of the chain above, in every state and with everything else.
std::vector<Case> pauses() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto line = [] { return graph({S("a"), S("b").after({0})}); };
  add("paused at any point, a crash", scenario(line(), {.crashes = 1, .pauses = 1}), {succeeded});
  add("paused twice", scenario(graph({S("a")}), {.crashes = 1, .pauses = 2}), {succeeded});
  add("paused, the coordinator restarts", scenario(graph({S("a")}), {.restarts = 1, .duplicates = 1, .pauses = 1}), {succeeded});
  add("paused by a person and from above", scenario(graph({S("a")}), {.crashes = 1, .pauses = 1, .holds = 1}), {succeeded});
  add("paused from above, cancelled", scenario(line(), {.crashes = 1, .cancels = 1, .holds = 1}), {succeeded, cancelled});
  add("paused by both, cancelled with a final step", scenario(graph({S("a"), S("z").finally()}), {.cancels = 1, .pauses = 1, .holds = 1}),
      {succeeded, cancelled});
  add("paused, killed", scenario(graph({S("a"), S("z").finally()}), {.crashes = 1, .pauses = 1, .kills = 1}), {succeeded, cancelled});
  add("paused between attempts", scenario(graph({S("a").attempts(2)}), {.crashes = 1, .pauses = 1}), {succeeded, failed}).answers =
      answering(0, kFailed, kOk | kFailed);
  add("paused past a deadline", scenario(graph({S("a").attempts(2).deadline(seconds{1})}), {.losses = 1, .pauses = 1}), {succeeded, failed}).answers =
      answering(0, kFailed, kOk);
  add("paused while it fails", scenario(graph({S("a"), S("b")}, lang::FailurePolicy::cancel), {.crashes = 1, .pauses = 1}), {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("paused while a failure waits for what runs", scenario(graph({S("a"), S("b"), S("c").after({0})}), {.pauses = 1}), {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("paused, failed and retried", scenario(graph({S("a")}), {.pauses = 1, .retries = 1}), {succeeded, failed}).answers = answering(0, kEither, kOk);
  add("paused, in doubt, resolved", scenario(graph({S("a").at_most_once()}), {.losses = 1, .pauses = 1, .resolves = 1}), {succeeded, failed});
  add("paused, given a response", scenario(line(), {.pauses = 1, .gifts = 1}), {succeeded, failed}).answers = answering(0, kEither, kOk);
  add("paused, what had not begun is given back", scenario(line(), {.pauses = 1, .returns = 1}), {succeeded});
  add("a fan-out is paused", scenario(graph({S("a").each().window(1)}), {.crashes = 1, .pauses = 1}), {succeeded});
  add("a list that is shaped is paused", scenario(graph({S("a").each(any).shaped()}), {.pauses = 1, .holds = 1}), {succeeded});
  add("a skipped step is paused before", scenario(line(), {.crashes = 1, .pauses = 1}), {succeeded}).finds = [](VisitId id) {
    return id.step == 0 ? Found::skip : Found::begin;
  };
  add("a sequence is paused", scenario(sequence({S("a").ok(lang::Go{1}), S("b")}), {.crashes = 1, .pauses = 1, .holds = 1}), {succeeded});
  add("an empty list is paused", scenario(graph({S("a").each()}), {.crashes = 1, .pauses = 1}), {succeeded}).width = [](VisitId) { return 0U; };
  // Whether children know is looked at wherever the chain comes to rest, and that is where one is in doubt.
  add("children are held and let go, wherever it crashes", scenario(graph({S("a").composes().at_most_once()}), {.crashes = 1, .pauses = 1}),
      {succeeded, running});
  add("children are held from above, and by a person",
      scenario(graph({S("a").composes(), S("b").after({0})}), {.crashes = 1, .pauses = 1, .holds = 1}), {succeeded});
  add("children are held, the chain is cancelled", scenario(graph({S("a").composes(), S("z").composes().finally()}), {.cancels = 1, .pauses = 1}),
      {succeeded, cancelled});
  return cases;
}

/// A person's other terms, while it runs.
std::vector<Case> amendments() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::vector<Amend> amends, std::set<ChainStatus> ends) -> Scenario& {
    made.amends = std::move(amends);
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto window = [](std::uint32_t items) {
    return Amend{.only = 0, .terms = {.window = items, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}};
  };
  const auto tolerate = [](std::uint32_t items) {
    return Amend{.only = 0, .terms = {.window = {}, .tolerated = items, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}};
  };
  const auto attempts = [](std::uint32_t most) {
    return Amend{.terms = {.window = {}, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = 1000, .attempts = most}};
  };
  const Amend priority{.priority = 3};
  add("a wider window at any point", scenario(graph({S("a").each().window(1)}), {.crashes = 1, .amends = 1}), {window(2)}, {succeeded});
  add("a narrower window, and none", scenario(graph({S("a").each()}), {.crashes = 1, .amends = 2}), {window(1), window(0)}, {succeeded});
  add("a window before the step is entered", scenario(graph({S("b"), S("a").after({0}).each()}), {.crashes = 1, .amends = 1}),
      {Amend{.only = 1, .terms = {.window = 1, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}}}, {succeeded});
  add("more may fail", scenario(graph({S("a").each()}), {.crashes = 1, .amends = 1}), {tolerate(1)}, {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("less may fail", scenario(graph({S("a").each().tolerate(2)}), {.amends = 1}), {tolerate(0)}, {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("less may fail of a list that is shaped", scenario(graph({S("a").each().tolerate(2).shaped()}), {.amends = 1}), {tolerate(0)},
      {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("more may fail, the cancel policy", scenario(graph({S("a").each()}, lang::FailurePolicy::cancel), {.crashes = 1, .amends = 1}), {tolerate(2)},
      {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("any, more may fail", scenario(graph({S("a").each(any)}), {.amends = 1}), {tolerate(2)}, {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("more attempts", scenario(graph({S("a")}), {.crashes = 1, .amends = 1}), {attempts(2)}, {succeeded, failed}).answers =
      answering(0, kFailed, kOk);
  add("fewer attempts", scenario(graph({S("a").attempts(3)}), {.losses = 1, .amends = 1}), {attempts(1)}, {succeeded, failed}).answers =
      [](VisitId, ItemIndex, unsigned execution) { return execution < 3 ? unsigned{kFailed} : unsigned{kOk}; };
  add("amended, failed and retried", scenario(graph({S("a").each()}), {.retries = 1, .amends = 1}), {window(1)}, {succeeded, failed}).answers =
      answering(0, kEither, kOk);
  add("amended and compared", scenario(graph({S("a").each(), S("b").after({0})}), {.retries = 1, .amends = 1}), {window(1)}, {succeeded, failed})
      .wishes = {Retry{.compared = {0}}};
  cases.back().scenario.answers = [](VisitId id, ItemIndex, unsigned execution) {
    return id.step == 1 && id.visit == 1 && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
  };
  add("amended and paused", scenario(graph({S("a").each().window(1)}), {.crashes = 1, .pauses = 1, .amends = 1}), {window(2)}, {succeeded});
  add("amended and cancelled", scenario(graph({S("a").each()}), {.cancels = 1, .amends = 1}), {window(1)}, {succeeded, cancelled});
  add("a priority", scenario(graph({S("a"), S("b").after({0})}), {.crashes = 1, .amends = 1}), {priority}, {succeeded});
  add("a sequence that is entered again keeps its terms",
      scenario(sequence({S("a").attempts(2).ok(lang::Go{1}), S("b").ok(lang::Go{0}).failed(lang::FinishOk{})}), {.amends = 1}), {attempts(1)},
      {succeeded, failed})
      .answers = [](VisitId id, ItemIndex, unsigned execution) {
    if (id.step == 1) return id.visit == 2 ? unsigned{kFatal} : unsigned{kOk};
    return id.visit == 2 && execution == 1 ? unsigned{kFailed} : unsigned{kOk};
  };
  add("rounds of a loop stay one after the other", scenario(graph({S("a").each().carries()}), {.crashes = 1, .amends = 1}), {window(2)}, {succeeded});
  return cases;
}

/// Signals, each with what may come between it and the step that waits for it.
std::vector<Case> signals() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::vector<std::string> sent, std::set<ChainStatus> ends) -> Scenario& {
    for (std::size_t number = 0; number < sent.size(); ++number)
      made.signals.push_back(Signal{sent[number], inline_payload("{}"), std::to_string(number), "why", "ann"});
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto wait = [](const std::string& id) { return S(id).signal("go"); };
  add("early, in time and late, two crashes", scenario(graph({S("a"), wait("w").after({0}), S("b").after({1})}), {.crashes = 2}), {"go"},
      {succeeded});
  add("nobody sends any", scenario(graph({S("a"), wait("w").after({0})}), {.crashes = 1}), {}, {running});
  add("twice, and one step waits", scenario(graph({wait("w"), S("b").after({0})}), {.crashes = 1}), {"go", "go"}, {succeeded});
  add("sent again by whoever lost the answer", scenario(graph({wait("w"), wait("v").after({0})}), {.crashes = 2, .duplicates = 1}), {"go"},
      {running});
  add("two wait at once", scenario(graph({wait("w"), wait("v"), S("b").after({0, 1})}), {.crashes = 1}), {"go", "go"}, {succeeded});
  add("two wait at once, and one comes", scenario(graph({wait("w"), wait("v")}), {.crashes = 1}), {"go"}, {running});
  add("two wait one after the other", scenario(graph({wait("w"), S("a").after({0}), wait("v").after({1})}), {.crashes = 1}), {"go", "go"},
      {succeeded});
  add("two names", scenario(graph({wait("w"), S("v").signal("stop").after({0})}), {.crashes = 1}), {"stop", "go"}, {succeeded});
  add("a name that nobody waits for", scenario(graph({wait("w")}), {.crashes = 1}), {"gone"}, {running});
  add("a timeout", scenario(graph({wait("w").deadline(seconds{5}), S("b")}), {.crashes = 1}), {"go"}, {succeeded, failed});
  add("a timeout that is observed", scenario(graph({wait("w").deadline(seconds{5}).failed(lang::Settle{}), S("b").after({0})}), {.crashes = 1}),
      {"go"}, {succeeded});
  add("a timeout and nothing else", scenario(graph({wait("w").deadline(seconds{5})}), {.crashes = 1}), {}, {failed});
  add("a timeout, then a retry", scenario(graph({wait("w").deadline(seconds{5}), S("b").after({0})}), {.crashes = 1, .retries = 1}), {"go"},
      {succeeded, failed});
  add("a retry behind the step that waited", scenario(graph({wait("w"), S("b").after({0})}), {.crashes = 1, .retries = 1}), {"go"},
      {succeeded, failed})
      .answers = answering(1, kEither, kOk);
  auto& anew = add("a retry that waits anew", scenario(graph({wait("w"), S("b").after({0})}), {.retries = 1}), {"go"}, {succeeded, failed, running});
  anew.answers = answering(1, kEither, kOk);
  anew.wishes = {Retry{.anew = {0}}};
  add("cancelled while it waits", scenario(graph({S("a"), wait("w").after({0})}), {.crashes = 1, .cancels = 1}), {"go"}, {succeeded, cancelled});
  add("cancelled, then a retry", scenario(graph({wait("w")}), {.cancels = 1, .retries = 1}), {"go"}, {succeeded, cancelled});
  add("paused while it waits", scenario(graph({S("a"), wait("w").after({0})}), {.crashes = 1, .pauses = 1, .holds = 1}), {"go"}, {succeeded});
  add("paused, and its time is over", scenario(graph({wait("w").deadline(seconds{5}), S("b").after({0})}), {.crashes = 1, .pauses = 1}), {"go"},
      {succeeded, failed});
  add("data that cannot be used", scenario(graph({wait("w"), S("b").after({0})}), {.crashes = 1, .retries = 1}), {"go", "go"}, {failed}).uses =
      [](VisitId) { return false; };
  add("given in place of a signal", scenario(graph({wait("w"), S("b").after({0})}), {.crashes = 1, .gifts = 1}), {"go"}, {succeeded});
  add("a final step waits", scenario(graph({S("a"), wait("z").finally()}), {.crashes = 1, .cancels = 1}), {"go"}, {succeeded, cancelled});
  add("killed while a final step waits", scenario(graph({S("a"), wait("z").finally()}), {.kills = 1}), {"go"}, {succeeded, cancelled});
  add("others fail", scenario(graph({S("a"), wait("w")}), {.crashes = 1}), {"go"}, {succeeded, failed}).answers = answering(0, kEither, kEither);
  add("a sequence comes back to the step",
      scenario(sequence({wait("w").ok(lang::Go{1}), S("b").ok(lang::Go{0}).failed(lang::FinishOk{})}), {.crashes = 1}), {"go", "go"}, {succeeded})
      .answers = [](VisitId id, ItemIndex, unsigned) { return id.step == 1 && id.visit == 2 ? unsigned{kFatal} : unsigned{kOk}; };
  auto& skipped = add("a condition skips it", scenario(graph({wait("w"), S("b").after({0})}), {.crashes = 1}), {"go"}, {succeeded});
  skipped.finds = finding(skipped, 0, Found::skip);
  return cases;
}

/// The deadline of the chain, which may pass at any point.
std::vector<Case> deadlines() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, Millis deadline, std::set<ChainStatus> ends) -> Scenario& {
    made.deadline = deadline;
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto line = [] { return graph({S("a"), S("b").after({0})}); };
  add("before the first grant, and while attempts are out, two crashes", scenario(line(), {.crashes = 2}), seconds{5}, {succeeded, failed});
  add("while attempts are out, a restart and a loss", scenario(line(), {.restarts = 1, .losses = 1, .duplicates = 1}), seconds{5},
      {succeeded, failed});
  add("it has passed before the chain begins", scenario(line(), kCrash), seconds{-1}, {failed});
  add("between attempts", scenario(graph({S("a").attempts(2), S("b").after({0})}), kCrash), std::chrono::milliseconds{500}, {succeeded, failed})
      .answers = answering(0, kFailed, kOk);
  add("between attempts, or behind them", scenario(graph({S("a").attempts(2)}), {.losses = 1, .duplicates = 1}), seconds{5}, {succeeded, failed})
      .answers = answering(0, kFailed, kOk);
  add("while it is postponed", scenario(line(), kCrash), std::chrono::milliseconds{2}, {succeeded, failed}).answers =
      answering(0, kPostponed | kOk, kOk);
  add("while children run", scenario(graph({S("a").composes(), S("b").after({0})}), kCrash), seconds{5}, {succeeded, failed});
  add("while a fan-out of children runs, with a final step", scenario(graph({S("a").composes().each(), S("z").finally()}), kCrash), seconds{5},
      {succeeded, failed});
  add("while a fan-out runs in a window", scenario(graph({S("a").each().window(1), S("b").after({0})}), kCrash), seconds{5}, {succeeded, failed});
  add("while a list is shaped", scenario(graph({S("a").each(any).shaped()}), {.crashes = 1}), seconds{5}, {succeeded, failed});
  add("a final step runs behind it, two crashes", scenario(graph({S("a"), S("z").finally()}), {.crashes = 2}), seconds{5}, {succeeded, failed});
  add("a final step has a deadline of its own", scenario(graph({S("a"), S("z").finally().deadline(seconds{5})}), kCrash), seconds{5},
      {succeeded, failed});
  add("a step has the same deadline", scenario(graph({S("a").deadline(seconds{5}).failed(lang::Settle{}), S("b").after({0})}), kCrash), seconds{5},
      {succeeded, failed});
  add("paused past it", scenario(line(), {.crashes = 1, .pauses = 1}), seconds{5}, {succeeded, failed});
  add("paused past it by both, with a final step", scenario(graph({S("a"), S("z").finally()}), {.pauses = 1, .holds = 1}), seconds{5},
      {succeeded, failed});
  add("cancelled before or after", scenario(graph({S("a"), S("z").finally()}), {.crashes = 1, .cancels = 1}), seconds{5},
      {succeeded, failed, cancelled});
  add("killed behind it", scenario(graph({S("a"), S("z").finally()}), {.crashes = 1, .kills = 1}), seconds{5}, {succeeded, failed, cancelled});
  add("it fails before that", scenario(graph({S("a"), S("b")}), kCrash), seconds{5}, {succeeded, failed}).answers = answering(0, kEither, kEither);
  add("run again by a person", scenario(line(), {.crashes = 1, .retries = 1}), seconds{5}, {succeeded, failed});
  add("run again before it has passed", scenario(graph({S("a")}), {.crashes = 1, .retries = 2}), seconds{5}, {succeeded, failed}).answers =
      answering(0, kEither, kOk);
  add("given a response", scenario(line(), {.gifts = 2}), seconds{5}, {succeeded, failed});
  add("nobody sends the signal", scenario(graph({S("a"), S("w").signal("go").after({0})}), kCrash), seconds{5}, {failed});
  auto& sent =
      add("a signal comes, or not in time", scenario(graph({S("w").signal("go"), S("b").after({0})}), kCrash), seconds{5}, {succeeded, failed});
  sent.signals = {Signal{"go", inline_payload("{}"), "0", {}, {}}};
  add("what is in doubt ends, too", scenario(graph({S("a").at_most_once()}), kLoss), seconds{5}, {succeeded, failed});
  add("a sequence", scenario(sequence({S("a").ok(lang::Go{1}), S("b")}), kCrash), seconds{5}, {succeeded, failed});
  auto answers = line();
  answers.outputs = lang::PlanResult{};
  add("a plan, which would answer its failure", scenario(std::move(answers), kCrash), seconds{5}, {succeeded, failed});
  return cases;
}

/// A deadline that is moved at any point: where it had passed meanwhile, it has.
std::vector<Case> moved_deadlines() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::vector<Deadline> moved, std::set<ChainStatus> ends,
                       std::optional<Millis> deadline = seconds{5}) -> Scenario& {
    made.deadline = deadline;
    made.amends.clear();
    for (const auto& to : moved) made.amends.push_back({.deadline = to});
    if (made.budget.amends == 0) made.budget.amends = 1;
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto line = [] { return graph({S("a"), S("b").after({0})}); };
  const Deadline earlier{seconds{1}}, later{seconds{600}}, off{}, past{Millis{0}, 1};
  add("it comes to a chain that had none", scenario(line(), {.crashes = 1}), {earlier}, {succeeded, failed}, std::nullopt);
  add("earlier", scenario(line(), {.crashes = 1}), {earlier}, {succeeded, failed});
  add("later", scenario(line(), {.crashes = 1}), {later}, {succeeded, failed});
  add("off", scenario(line(), {.crashes = 1}), {off}, {succeeded, failed});
  add("past already", scenario(line(), {.crashes = 1}), {past}, {succeeded, failed}, std::nullopt);
  add("past already, with a final step, two crashes", scenario(graph({S("a"), S("z").finally()}), {.crashes = 2}), {past}, {succeeded, failed});
  add("moved twice, a restart", scenario(graph({S("a")}), {.restarts = 1, .duplicates = 1, .amends = 2}), {earlier, off}, {succeeded, failed});
  add("off while children run", scenario(graph({S("a").composes(), S("z").finally()}), {.crashes = 1}), {off, past}, {succeeded, failed});
  add("while it is paused", scenario(line(), {.pauses = 1}), {earlier, later, past}, {succeeded, failed});
  add("while it is being cancelled", scenario(graph({S("a"), S("z").finally()}), {.cancels = 1}), {earlier, past}, {succeeded, failed, cancelled});
  add("while it fails", scenario(graph({S("a"), S("b")}), {}), {past, off}, {succeeded, failed}).answers = answering(0, kEither, kEither);
  add("between attempts", scenario(graph({S("a").attempts(2)}), {.crashes = 1}), {earlier, off}, {succeeded, failed}).answers =
      answering(0, kFailed, kOk);
  add("with a retry", scenario(graph({S("a")}), {.retries = 1}), {earlier, off}, {succeeded, failed}).answers = answering(0, kEither, kOk);
  add("off, and nobody sends the signal", scenario(graph({S("w").signal("go")}), {.crashes = 1}), {off}, {failed, running});
  auto& sent = add("a signal comes", scenario(graph({S("w").signal("go"), S("b").after({0})}), {}), {earlier, past}, {succeeded, failed});
  sent.signals = {Signal{"go", inline_payload("{}"), "0", {}, {}}};
  add("a sequence", scenario(sequence({S("a").ok(lang::Go{1}), S("b")}), {.crashes = 1}), {past, later}, {succeeded, failed});
  return cases;
}

}  // namespace

TEST_CASE("repairs keep every rule in every schedule", "[exhaustive]") { explore_all(repairs()); }
TEST_CASE("pauses keep every rule in every schedule", "[exhaustive]") { explore_all(pauses()); }
TEST_CASE("amendments keep every rule in every schedule", "[exhaustive]") { explore_all(amendments()); }
TEST_CASE("signals keep every rule in every schedule", "[exhaustive]") { explore_all(signals()); }
TEST_CASE("chains with a deadline keep every rule in every schedule", "[exhaustive]") { explore_all(deadlines()); }
TEST_CASE("deadlines that are moved keep every rule in every schedule", "[exhaustive]") { explore_all(moved_deadlines()); }

}  // namespace catena::engine::test
