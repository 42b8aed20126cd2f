// Every schedule of tiny programs that are repaired while they go on.
#include <catch2/catch.hpp>

#include "tests/engine/exhaustive.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using enum lang::Join;
using std::chrono::seconds;

/// The item fails for good when it runs first, and succeeds when it runs again.
auto item_fails_first(StepIndex step, ItemIndex item) {
  return [=](VisitId id, ItemIndex of, unsigned execution) {
    return id.step == step && of == item && execution == 1 ? unsigned{kFatal} : unsigned{kOk};
  };
}

/// What runs goes on, and what failed runs again, wherever it crashes.
std::vector<Case> running_repairs() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const Retry item_0{.items = {{0, IndexSet::one(0)}}}, item_1{.items = {{0, IndexSet::one(1)}}}, failed_only{.only_failed = true};
  const Retry chosen{.items = {{0, IndexSet::one(0)}}, .failures_stand = true}, from_a{.anew = {0}};
  const auto each = [](std::uint32_t tolerated) { return graph({S("a").each().tolerate(tolerated)}); };
  add("an item while another is out", scenario(each(1), {.crashes = 1, .repairs = 1}), {succeeded}).answers = item_fails_first(0, 0);
  add("an item that is named, twice", scenario(each(1), {.restarts = 1, .repairs = 2}), {succeeded}).wishes = {item_0};
  cases.back().scenario.answers = item_fails_first(0, 0);
  add("an item that is chosen, and one that stands", scenario(each(2), {.restarts = 1, .repairs = 1}), {succeeded}).wishes = {chosen};
  cases.back().scenario.answers = answering(0, kEither, kOk);
  add("an item in a window", scenario(graph({S("a").each().window(1).tolerate(1), S("b").after({0})}), {.repairs = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("an item that fails again", scenario(each(1), {.repairs = 1}), {succeeded, failed}).answers = answering(0, kEither, kEither);
  add("a step that fails, before what is out has ended", scenario(each(0), {.crashes = 1, .repairs = 1}), {succeeded, failed}).answers =
      item_fails_first(0, 0);
  add("the same, which stops what is out", scenario(graph({S("a").each()}, lang::FailurePolicy::cancel), {.duplicates = 1, .repairs = 1}), {failed})
      .answers = item_fails_first(0, 0);
  add("a chain that fails waits for what runs", scenario(graph({S("a"), S("b"), S("c").after({0, 1})}), {.restarts = 1, .repairs = 1}),
      {succeeded, failed})
      .answers = answering(0, kFatal, kOk);
  add("the same, which stops what runs", scenario(graph({S("a"), S("b")}, lang::FailurePolicy::cancel), {.duplicates = 1, .repairs = 1}), {failed})
      .answers = answering(0, kFatal, kOk);
  add("a failure that is observed, and what has seen it", scenario(graph({S("a").failed(lang::Settle{}), S("b").after({0}), S("c")}), {.repairs = 1}),
      {succeeded})
      .answers = answering(0, kFatal, kOk);
  cases.back().scenario.same = [](VisitId) { return false; };
  add("a failure at the end", scenario(graph({S("a").failed(lang::FailAtEnd{}), S("b")}), {.crashes = 1, .repairs = 1}), {succeeded, failed})
      .answers = answering(0, kFatal, kOk);
  add("failures that a list bears, while another step runs", scenario(graph({S("a").each().tolerate(1).shaped(), S("b")}), {.repairs = 1}),
      {succeeded})
      .answers = item_fails_first(0, 1);
  cases.back().scenario.wishes = {failed_only, item_1};
  add("a step from its beginning, while another runs", scenario(graph({S("a"), S("b").after({0}), S("c")}), {.repairs = 1}), {succeeded}).wishes = {
      from_a};
  add("while it is paused", scenario(each(1), {.pauses = 1, .repairs = 1}), {succeeded}).answers = item_fails_first(0, 0);
  add("while it is cancelled", scenario(each(1), {.cancels = 1, .repairs = 1}), {succeeded, cancelled}).answers = item_fails_first(0, 0);
  add("before final steps, and with them", scenario(graph({S("a").each().tolerate(1), S("z").finally()}), {.repairs = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("a deadline passes", scenario(each(1), {.repairs = 1}), {succeeded, failed}).answers = item_fails_first(0, 0);
  cases.back().scenario.deadline = seconds{5};
  add("the first that succeeds is enough", scenario(graph({S("a").each(first_success)}), {.repairs = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("a round, which goes on from another", scenario(graph({S("a").each().carries().tolerate(1)}), {.repairs = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("an item of a sequence's step", scenario(sequence({S("a").each().tolerate(1).ok(lang::Go{1}), S("b")}), {.repairs = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("children", scenario(graph({S("a").composes().each().tolerate(1)}), {.repairs = 1}), {succeeded}).answers = item_fails_first(0, 0);
  add("what may be in doubt", scenario(graph({S("a").each().tolerate(1).at_most_once()}), {.losses = 1, .resolves = 1, .repairs = 1}),
      {running, succeeded, failed})
      .answers = item_fails_first(0, 0);
  auto& denied =
      add("an item that was rejected waits again", scenario(graph({S("a").each().tolerate(1).approve()}), {.repairs = 1}), {running, succeeded});
  denied.approvals = {Approval{.step = 0, .items = IndexSet::one(0), .approved = false, .key = "0", .by = "ann"},
                      Approval{.step = 0, .items = IndexSet::range(0, 2), .key = "1", .by = "ann"}};
  add("and again when it has ended", scenario(each(0), {.retries = 1, .repairs = 1}), {succeeded, failed}).answers = answering(0, kEither, kOk);
  return cases;
}

/// Responses that a person gives for what has failed, while the chain goes on.
std::vector<Case> running_skips() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::set<ChainStatus> ends) -> Scenario& {
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  add("an item that failed, while another is out", scenario(graph({S("a").each().tolerate(1)}), {.crashes = 1, .gifts = 1}), {succeeded}).answers =
      item_fails_first(0, 0);
  add("a step that failed, while others run", scenario(graph({S("a"), S("b"), S("c").after({0, 1})}), {.gifts = 1}), {succeeded, failed}).answers =
      answering(0, kFatal, kFatal);
  add("a failure that was observed", scenario(graph({S("a").failed(lang::Settle{}), S("b").after({0}), S("c")}), {.gifts = 1}), {succeeded}).answers =
      answering(0, kFatal, kFatal);
  add("an item of a list that has gone on", scenario(graph({S("a").each().tolerate(1).shaped(), S("b")}), {.gifts = 1}), {succeeded}).answers =
      item_fails_first(0, 1);
  add("while it is paused", scenario(graph({S("a").each().tolerate(1)}), {.pauses = 1, .gifts = 1}), {succeeded}).answers = item_fails_first(0, 0);
  add("and a retry", scenario(graph({S("a").each().tolerate(1)}), {.gifts = 1, .repairs = 1}), {succeeded, failed}).answers =
      answering(0, kEither, kOk);
  return cases;
}

}  // namespace

TEST_CASE("repairs of chains that run keep every rule in every schedule", "[exhaustive]") { explore_all(running_repairs()); }
TEST_CASE("responses given to chains that run keep every rule in every schedule", "[exhaustive]") { explore_all(running_skips()); }

}  // namespace catena::engine::test
