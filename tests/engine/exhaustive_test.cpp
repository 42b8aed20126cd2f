// Every schedule of tiny programs: no deadlock, no broken rule, and only the ends that can be.
#include <catch2/catch.hpp>

#include "tests/engine/exhaustive.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using enum lang::Join;
using std::chrono::seconds;

std::vector<Case> graphs() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  add("one step, a crash and a loss", scenario(graph({S("a")}), {.crashes = 1, .losses = 1, .duplicates = 1}), {succeeded});
  add("a diamond's half, a crash", scenario(graph({S("a"), S("b"), S("c").after({0, 1})}), kCrash), {succeeded});
  add("a chain of three, a restart", scenario(graph({S("a"), S("b").after({0}), S("c").after({1})}), {.restarts = 2, .losses = 1}), {succeeded});
  add("retries until it works, a crash", scenario(graph({S("a").attempts(2), S("b").after({0})}), {.crashes = 1, .duplicates = 1}), {succeeded})
      .answers = answering(0, kFailed, kOk);
  add("retries and may fail for good", scenario(graph({S("a").attempts(2), S("b")}), kLoss), {succeeded, failed}).answers =
      answering(0, kOk | kFailed, kOk | kFailed);
  auto& skips = add("a condition skips", scenario(graph({S("a"), S("b").after({0}), S("c").after({1})}), kCrash), {succeeded});
  skips.finds = finding(skips, 1, Found::skip);
  auto& broken =
      add("arguments cannot be evaluated, then a retry", scenario(graph({S("a"), S("b").after({0})}), {.crashes = 1, .retries = 1}), {failed});
  broken.finds = finding(broken, 1, Found::error);
  add("a failure that is observed", scenario(graph({S("a").failed(lang::Settle{}), S("b").after({0}), S("c")}), kCrash), {succeeded}).answers =
      answering(0, kEither, kEither);
  add("a failure lets what runs finish", scenario(graph({S("a"), S("b"), S("c").after({0})}), {.crashes = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("a failure cancels what runs", scenario(graph({S("a"), S("b"), S("c").after({0})}, lang::FailurePolicy::cancel), {.crashes = 1}),
      {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("cancelled at any point, a crash", scenario(graph({S("a"), S("b").after({0})}), {.crashes = 1, .cancels = 1}), {succeeded, cancelled});
  add("cancelled, then run again", scenario(graph({S("a"), S("b").after({0})}), {.duplicates = 1, .cancels = 1, .retries = 1}),
      {succeeded, cancelled});
  add("paused at any point, a loss", scenario(graph({S("a"), S("b").after({0})}), {.losses = 1, .pauses = 1}), {succeeded});
  add("paused and cancelled", scenario(graph({S("a").attempts(2)}), {.crashes = 1, .cancels = 1, .pauses = 1}), {succeeded, cancelled}).answers =
      answering(0, kFailed, kOk);
  add("fails, then a person retries", scenario(graph({S("a"), S("b").after({0})}), {.crashes = 1, .retries = 1}), {succeeded, failed}).answers =
      answering(0, kFatal, kOk);
  add("outputs cannot be evaluated", scenario(graph({S("a")}), {.crashes = 1, .retries = 1}), {failed}).outputs_fail = true;
  add("a deadline at any point", scenario(graph({S("a").deadline(seconds{5}), S("b")}), kCrash), {succeeded, failed});
  add("a deadline that is observed", scenario(graph({S("a").deadline(seconds{5}).failed(lang::Settle{}), S("b").after({0})}), kCrash), {succeeded});
  add("a deadline, then a retry", scenario(graph({S("a").deadline(seconds{5})}), {.losses = 1, .retries = 1}), {succeeded, failed});
  add("at most once, lost, resolved", scenario(graph({S("a").at_most_once(), S("b").after({0})}), {.crashes = 1, .losses = 1, .resolves = 2}),
      {succeeded, failed});
  add("at most once, given back, is run again by itself", scenario(graph({S("a").at_most_once(), S("b").after({0})}), {.restarts = 1, .returns = 2}),
      {succeeded});
  add("given back, and cancelled at any point", scenario(graph({S("a"), S("b").after({0})}), {.cancels = 1, .returns = 1}), {succeeded, cancelled});
  add("at most once, lost, nobody resolves", scenario(graph({S("a").at_most_once()}), kLoss), {succeeded, running});
  return cases;
}

std::vector<Case> fan_outs() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  add("fan-out, all, a crash", scenario(graph({S("a").each(), S("b").after({0})}), kCrash), {succeeded});
  add("fan-out, all, taken together in pieces", scenario(graph({S("a").each()}), {.restarts = 1, .losses = 1, .duplicates = 1}), {succeeded}).offer =
      2;
  cases.back().scenario.piecemeal = true;
  add("fan-out, a window of one", scenario(graph({S("a").each().window(1)}), {.crashes = 1, .losses = 1}), {succeeded});
  add("fan-out, an item may fail", scenario(graph({S("a").each().attempts(2)}), {.losses = 1}), {succeeded, failed}).answers =
      answering(0, kOk | kFailed, kOk | kFatal);
  add("fan-out, a failed item is tolerated", scenario(graph({S("a").each().tolerate(1)}), kCrash), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out, any", scenario(graph({S("a").each(any), S("b").after({0})}), {.crashes = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out, first success", scenario(graph({S("a").each(first_success)}), {.crashes = 1, .duplicates = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out, a count", scenario(graph({S("a").each(count, 1).window(1)}), {.losses = 1, .duplicates = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out of nothing", scenario(graph({S("a").each(), S("b").after({0})}), {.crashes = 1, .cancels = 1}), {succeeded, cancelled}).width =
      [](VisitId) { return 0U; };
  add("fan-out, cancel policy", scenario(graph({S("a").each()}, lang::FailurePolicy::cancel), kCrash), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out, fails, a retry keeps what worked", scenario(graph({S("a").each()}), {.losses = 1, .retries = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kOk);
  add("fan-out, any, a retry finds the join satisfied", scenario(graph({S("a").each(any)}), {.retries = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("fan-out, cancelled and run again", scenario(graph({S("a").each()}), {.cancels = 1, .retries = 1}), {succeeded, cancelled});
  add("fan-out, a deadline", scenario(graph({S("a").each().deadline(seconds{5})}), {.crashes = 1}), {succeeded, failed});
  add("fan-out, at most once", scenario(graph({S("a").each().at_most_once()}), {.losses = 1, .resolves = 2}), {succeeded, failed});
  return cases;
}

/// Fan-outs with transform_responses: evaluated once, on the list, after all that is waited for has settled.
std::vector<Case> shaped_fan_outs() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto never = [](VisitId, unsigned) { return false; };
  const auto second = [](VisitId, unsigned evaluation) { return evaluation > 1; };
  const auto nothing = [](VisitId) { return 0U; };
  const auto shaped = [](lang::Join join = all, std::uint32_t wanted = 0) { return S("a").each(join, wanted).shaped(); };
  add("shaped, all, a crash", scenario(graph({shaped(), S("b").after({0})}), kCrash), {succeeded});
  add("shaped, all, a restart and a loss", scenario(graph({shaped()}), {.restarts = 1, .losses = 1, .duplicates = 1}), {succeeded});
  add("shaped, of nothing, a crash, cancelled", scenario(graph({shaped(), S("b").after({0})}), {.crashes = 1, .cancels = 1}), {succeeded, cancelled})
      .width = nothing;
  add("shaped, of nothing, fails and is retried", scenario(graph({shaped()}), {.crashes = 1, .retries = 1}), {succeeded, failed}).shapes = second;
  cases.back().scenario.width = nothing;
  add("shaped, any, what is out reports late", scenario(graph({shaped(any), S("b").after({0})}), {.crashes = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("shaped, first success, paused", scenario(graph({shaped(first_success)}), {.duplicates = 1, .pauses = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("shaped, a count, losses", scenario(graph({shaped(count, 1).window(1)}), {.losses = 1, .duplicates = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("shaped, tolerated failures stand when it is shaped again", scenario(graph({shaped().tolerate(1)}), {.crashes = 1, .retries = 1}),
      {succeeded, failed})
      .shapes = second;
  cases.back().scenario.answers = answering(0, kEither, kEither);
  add("shaped, never, a failure that is observed", scenario(graph({shaped().failed(lang::Settle{}), S("b").after({0})}), kCrash), {succeeded})
      .shapes = never;
  add("shaped, never, a retry", scenario(graph({shaped()}), {.losses = 1, .retries = 1}), {failed}).shapes = never;
  add("shaped, another step fails meanwhile", scenario(graph({shaped(), S("b")}), {.crashes = 1, .retries = 1}), {succeeded, failed}).answers =
      answering(1, kEither, kOk);
  cases.back().scenario.width = [](VisitId) { return 1U; };
  add("shaped, the cancel policy", scenario(graph({shaped(any), S("b")}, lang::FailurePolicy::cancel), {.duplicates = 1}), {succeeded, failed})
      .answers = answering(1, kEither, kOk);
  add("shaped, cancelled and run again", scenario(graph({shaped(any)}), {.cancels = 1, .retries = 1}), {succeeded, cancelled});
  add("shaped, a deadline, a retry", scenario(graph({shaped(any).deadline(seconds{5})}), {.duplicates = 1, .retries = 1}), {succeeded, failed});
  add("shaped, at most once, resolved", scenario(graph({shaped(any).at_most_once()}), {.losses = 1, .resolves = 2}), {succeeded, failed});
  return cases;
}

/// An attempt that asks to be made again later.
std::vector<Case> postponements() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  add("postponed once, though one attempt is all there is", scenario(graph({S("a"), S("b").after({0})}), {.crashes = 1, .duplicates = 1}),
      {succeeded})
      .answers = answering(0, kPostponed, kOk);
  add("postponed or failed, cancelled", scenario(graph({S("a").attempts(2)}), {.losses = 1, .cancels = 1}), {succeeded, failed, cancelled}).answers =
      [](VisitId, ItemIndex, unsigned execution) { return execution < 3 ? kPostponed | kFailed : kOk | kFailed; };
  add("postponed items of a fan-out", scenario(graph({S("a").each().window(1)}), {.crashes = 1}), {succeeded}).answers =
      answering(0, kOk | kPostponed, kOk);
  add("postponed, at most once", scenario(graph({S("a").at_most_once()}), {.restarts = 1}), {succeeded}).answers = answering(0, kPostponed, kOk);
  add("postponed past its deadline", scenario(graph({S("a").deadline(Millis{3})}), {.crashes = 1}), {succeeded, failed}).answers =
      answering(0, kOk | kPostponed, kOk);
  return cases;
}

/// Steps that run however the chain ends.
std::vector<Case> final_steps() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto one = [] { return graph({S("a"), S("z").finally()}); };
  const auto cancel = lang::FailurePolicy::cancel;
  add("a final step, a crash and a loss", scenario(one(), {.crashes = 1, .losses = 1, .duplicates = 1}), {succeeded});
  add("a final step behind a failure", scenario(graph({S("a"), S("b"), S("z").finally()}), kCrash), {succeeded, failed}).answers =
      answering(0, kEither, kEither);
  add("a final step behind a failure that stops what runs", scenario(graph({S("a"), S("b"), S("z").finally()}, cancel), kCrash), {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("a final step is not stopped by the failure before it", scenario(graph({S("a"), S("z").finally().attempts(2)}, cancel), kLoss), {failed})
      .answers = [](VisitId id, ItemIndex, unsigned execution) {
    return id.step == 0 ? unsigned{kFatal} : execution == 1 ? unsigned{kFailed} : unsigned{kOk};
  };
  add("a final step, cancelled at any point", scenario(one(), {.crashes = 1, .cancels = 1}), {succeeded, cancelled});
  add("a final step, cancelled at any point and then for good", scenario(one(), {.losses = 1, .cancels = 1, .kills = 1}), {succeeded, cancelled});
  add("a final step that fails, cancelled at any point", scenario(one(), {.crashes = 1, .cancels = 1}), {succeeded, failed, cancelled}).answers =
      answering(1, kEither, kEither);
  add("the first error stays when a final step fails too", scenario(one(), kCrash), {failed}).answers = [](VisitId, ItemIndex, unsigned) {
    return unsigned{kFatal};
  };
  add("final steps in their order", scenario(graph({S("a"), S("y").finally(), S("z").after({0, 1}).finally()}), {.crashes = 1, .cancels = 1}),
      {succeeded, failed, cancelled})
      .answers = answering(1, kEither, kEither);
  add("final steps at once, one fails", scenario(graph({S("a"), S("y").finally(), S("z").finally()}), kRestart), {succeeded, failed}).answers =
      answering(1, kEither, kEither);
  auto& skips = add("a final step's condition is false", scenario(one(), {.crashes = 1, .cancels = 1}), {succeeded, cancelled});
  skips.finds = finding(skips, 1, Found::skip);
  auto& broken = add("a final step cannot be evaluated", scenario(one(), {.crashes = 1, .retries = 1}), {failed});
  broken.finds = finding(broken, 1, Found::error);
  add("a final fan-out behind a failure", scenario(graph({S("a"), S("z").each().finally()}), kLoss), {failed}).answers = answering(0, kFatal, kFatal);
  add("a final fan-out that is shaped", scenario(graph({S("a"), S("z").each().shaped().finally()}), {.cancels = 1, .kills = 1}),
      {succeeded, failed, cancelled})
      .answers = answering(0, kEither, kEither);
  add("a final step behind a fan-out that fails", scenario(graph({S("a").each(), S("z").finally()}, cancel), {.duplicates = 1}), {succeeded, failed})
      .answers = answering(0, kEither, kEither);
  add("a final step's deadline in a chain that fails", scenario(graph({S("a"), S("z").deadline(seconds{5}).finally()}), kCrash), {failed}).answers =
      answering(0, kFatal, kFatal);
  add("a final step, paused", scenario(one(), {.losses = 1, .cancels = 1, .pauses = 1}), {succeeded, failed, cancelled}).answers =
      answering(0, kEither, kEither);
  add("a retry runs the final step again", scenario(one(), {.crashes = 1, .retries = 1}), {succeeded, failed}).answers = answering(0, kFatal, kOk);
  add("a retry of a failed final step leaves the others", scenario(graph({S("a"), S("y").finally(), S("z").finally()}), {.crashes = 1, .retries = 1}),
      {succeeded, failed})
      .answers = answering(2, kFatal, kOk);
  add("cancelled with its final step, then run again", scenario(one(), {.cancels = 1, .retries = 1, .kills = 1}), {succeeded, cancelled});
  add("a final step, at most once, lost, resolved",
      scenario(graph({S("a"), S("z").at_most_once().finally()}), {.losses = 1, .cancels = 1, .resolves = 2}), {succeeded, failed, cancelled});
  add("a final step is given a response at any point", scenario(one(), {.crashes = 1, .gifts = 1}), {succeeded, failed}).answers =
      answering(1, kEither, kOk);
  add("nothing but final steps", scenario(graph({S("y").finally(), S("z").finally()}), {.crashes = 1, .cancels = 1}), {succeeded, cancelled});
  return cases;
}

std::vector<Case> sequences() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const lang::Go to_0{0}, to_1{1}, to_2{2};
  add("sequence in order", scenario(sequence({S("a").ok(to_1), S("b").ok(to_2), S("c")}), {.crashes = 1, .losses = 1}), {succeeded});
  add("sequence, a jump forward", scenario(sequence({S("a").ok(to_2), S("b").ok(to_2), S("c").ok(lang::FinishOk{})}), kRestart), {succeeded});
  add("sequence, a failure route", scenario(sequence({S("a").ok(to_1).failed(to_2), S("b"), S("c")}), kCrash), {succeeded}).answers =
      answering(0, kEither, kEither);
  auto& loop = add("sequence, a jump back until a condition", scenario(sequence({S("a").ok(to_1), S("b").ok(to_0).failed(lang::FinishOk{})}), kLoss),
                   {succeeded});
  loop.answers = [](VisitId id, ItemIndex, unsigned) { return id == VisitId{1, 2} ? unsigned{kFatal} : unsigned{kOk}; };
  add("sequence that never ends", scenario(sequence({S("a").ok(to_1), S("b").ok(to_0)}, 4), {.crashes = 1, .cancels = 1}), {failed, cancelled});
  auto& skips =
      add("sequence, a step is skipped", scenario(sequence({S("a").ok(to_1), S("b").ok(to_2), S("c")}), {.crashes = 1, .pauses = 1}), {succeeded});
  skips.finds = finding(skips, 1, Found::skip);
  auto& broken = add("sequence, an entry fails, a retry", scenario(sequence({S("a").ok(to_1), S("b")}), {.crashes = 1, .retries = 1}), {failed});
  broken.finds = finding(broken, 1, Found::error);
  auto& caught =
      add("sequence, an entry fails and is caught", scenario(sequence({S("a").ok(to_1), S("b").failed(to_2), S("c")}), kCrash), {succeeded});
  caught.finds = finding(caught, 1, Found::error);
  add("sequence, fails and is retried", scenario(sequence({S("a").ok(to_1), S("b")}), {.crashes = 1, .retries = 1}), {succeeded, failed}).answers =
      answering(1, kFatal, kOk);
  add("sequence, a deadline jumps back over what still runs",
      scenario(sequence({S("a").deadline(seconds{5}).ok(to_1).failed(to_0), S("b")}, 2), {.duplicates = 1}), {succeeded, failed});
  add("sequence with a fan-out", scenario(sequence({S("a").each().ok(to_1).failed(to_1), S("b")}), {.losses = 1}), {succeeded}).answers =
      answering(0, kEither, kEither);
  add("sequence, cancelled and run again", scenario(sequence({S("a").ok(to_1), S("b")}), {.crashes = 1, .cancels = 1, .retries = 1}),
      {succeeded, cancelled});
  return cases;
}

}  // namespace

TEST_CASE("graphs keep every rule in every schedule", "[exhaustive]") { explore_all(graphs()); }
TEST_CASE("fan-outs keep every rule in every schedule", "[exhaustive]") { explore_all(fan_outs()); }
TEST_CASE("fan-outs with transform_responses keep every rule in every schedule", "[exhaustive]") { explore_all(shaped_fan_outs()); }
TEST_CASE("postponed attempts keep every rule in every schedule", "[exhaustive]") { explore_all(postponements()); }
TEST_CASE("final steps keep every rule in every schedule", "[exhaustive]") { explore_all(final_steps()); }
TEST_CASE("sequences keep every rule in every schedule", "[exhaustive]") { explore_all(sequences()); }

}  // namespace catena::engine::test
