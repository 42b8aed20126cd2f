// Random programs in random worlds: wider than the exhaustive ones, the same rules. A failing seed names itself.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "tests/engine/dice.hpp"
#include "tests/engine/simulator.hpp"

namespace catena::engine::test {
namespace {

lang::Route any_route(Dice& dice, std::uint32_t steps, bool sequential) {
  if (sequential && !dice.one_in(3)) return lang::Go{dice.below(steps)};
  return dice.one_in(2) ? lang::Route{lang::Settle{}} : lang::Route{lang::FinishOk{}};
}

lang::Route any_end(Dice& dice, std::uint32_t steps, bool sequential) {
  return dice.one_in(3) ? lang::Route{lang::FailAtEnd{}} : any_route(dice, steps, sequential);
}

lang::Outputs any_outputs(Dice& dice) {
  if (dice.one_in(2)) return lang::AllResponses{};
  return dice.one_in(2) ? lang::Outputs{lang::SequenceResult{}} : lang::Outputs{lang::PlanResult{}};
}

S any_step(Dice& dice, StepIndex index, std::uint32_t steps, bool sequential) {
  S made{"s" + std::to_string(index)};
  std::set<StepIndex> deps;
  for (std::uint32_t tries = dice.below(4); index > 0 && tries > 0; --tries) deps.insert(dice.below(index));
  made.after({deps.begin(), deps.end()});
  made.attempts(dice.below(4));
  made.step.retry.jitter = 0.2;
  if (dice.one_in(8)) made.at_most_once();
  if (dice.one_in(8)) made.composes();
  if (dice.one_in(6)) made.deadline(std::chrono::milliseconds{1 + dice.below(20'000)});
  if (dice.one_in(3)) made.failed(any_end(dice, steps, sequential));
  if (dice.one_in(4)) made.any_failure("retries_of_" + made.step.id);
  made.ok(any_route(dice, steps, sequential));
  if (!dice.one_in(3)) return made;
  made.each(static_cast<lang::Join>(dice.below(4)), dice.below(10));
  if (dice.one_in(2)) made.window(1 + dice.below(10));
  if (dice.one_in(2)) made.tolerate(dice.below(10));
  if (dice.one_in(4)) made.tolerate_percentage(dice.below(101));
  if (dice.one_in(3)) made.shaped();
  if (dice.one_in(3)) made.carries();
  return made;
}

/// As people wish: mostly what failed, now and then more. One entry of a sequence at most.
Retry any_wish(std::uint64_t choice, const ChainState& state) {
  Dice dice{choice};
  Retry retry;
  retry.only_failed = dice.one_in(4);
  if (dice.one_in(2)) return retry;
  if (dice.one_in(3)) retry.anew.insert(dice.below(static_cast<std::uint32_t>(state.steps.size())));
  for (StepIndex step = 0; step < state.steps.size(); ++step) {
    if (dice.one_in(5)) retry.compared.insert(step);
    const auto width = state.steps[step].width;
    if (state.steps[step].fan_out && width > 0 && dice.one_in(5)) retry.items[step] = IndexSet::range(dice.below(width), width);
  }
  retry.failures_stand = !retry.only_failed && dice.one_in(2);
  return retry;
}

Scenario any_scenario(std::uint64_t seed) {
  Dice dice{seed};
  const auto steps = 1 + dice.below(12);
  const bool sequential = dice.one_in(3);
  std::vector<S> parts;
  for (StepIndex index = 0; index < steps; ++index) parts.push_back(any_step(dice, index, steps, sequential));
  // The last ones, so that no other depends on them.
  for (auto last = sequential ? 0 : dice.below(4); last > 0 && last <= steps; --last) {
    auto& step = parts[steps - last].finally().step;
    if (std::holds_alternative<lang::FinishOk>(step.ok)) step.ok = lang::Settle{};
  }
  Scenario made;
  Dice sender{mix(seed)};  // of its own: the programs of all seeds stay what they are but for the steps that wait
  for (auto& part : parts) {
    if (!part.step.each && sender.one_in(6)) part.signal(sender.one_in(2) ? "go" : "stop");
  }
  for (std::uint32_t number = sender.below(6); number > 0; --number)
    made.signals.push_back(Signal{sender.one_in(2) ? "go" : "stop", inline_payload("{}"), std::to_string(number), {}, {}});
  if (sender.one_in(5)) made.deadline = Millis{1 + sender.below(20'000)};
  auto program =
      sequential ? sequence(parts, 1 + dice.below(30)) : graph(parts, dice.one_in(2) ? lang::FailurePolicy::cancel : lang::FailurePolicy::finish);
  program.outputs = any_outputs(dice);
  made.prepared = prepared_of(std::move(program));
  const auto few = [&] { return static_cast<int>(dice.one_in(2) ? 0 : dice.below(4)); };
  made.budget = {few(), few(), few(), few(), dice.one_in(6) ? 1 : 0, few(), few(), 1'000, few(), few(), dice.one_in(8) ? 1 : 0};
  made.workers = 1 + dice.below(3);
  made.offer = 1 + dice.below(12);
  made.piecemeal = dice.one_in(2);
  made.outputs_fail = dice.one_in(10);
  const auto clumsy = 2 + dice.below(30);  // one answer in so many goes wrong
  made.finds = [prepared = made.prepared, seed](VisitId id) {
    Dice own{seed ^ mix(id.step * 1000ULL + id.visit)};
    if (own.one_in(12)) return Found::skip;
    if (own.one_in(25)) return Found::error;
    return prepared.program->steps[id.step].each ? Found::expand : Found::begin;
  };
  made.width = [seed](VisitId id) { return Dice{seed ^ mix(id.step)}.below(51); };
  made.answers = [seed, clumsy](VisitId id, ItemIndex item, unsigned execution) {
    Dice own{seed ^ mix(id.step * 100'000ULL + id.visit * 10'000ULL + item * 50ULL + execution)};
    if (!own.one_in(clumsy)) return unsigned{kOk};
    if (own.one_in(4)) return unsigned{kPostponed};
    return own.one_in(3) ? unsigned{kFatal} : unsigned{kFailed};
  };
  made.same = [seed](VisitId id) { return !Dice{seed ^ mix(id.step * 31ULL + id.visit)}.one_in(3); };
  made.wish = any_wish;
  made.shapes = [seed](VisitId id, unsigned evaluation) { return !Dice{seed ^ mix(id.step * 77ULL + id.visit + evaluation)}.one_in(8); };
  made.uses = [seed](VisitId id) { return !Dice{seed ^ mix(id.step * 55ULL + id.visit)}.one_in(9); };
  made.budget.holds = few();
  made.budget.amends = few();
  made.amends.clear();
  for (int count = 0; count < 3; ++count) {
    Amend amend;
    if (!dice.one_in(3)) amend.only = dice.below(steps);
    if (dice.one_in(2)) amend.terms.window = dice.below(8);
    if (dice.one_in(2))
      amend.terms.tolerated = dice.below(10);
    else if (dice.one_in(2))
      amend.terms.tolerated_milli = dice.below(100'001);
    if (dice.one_in(2)) amend.terms.attempts = 1 + dice.below(4);
    if (dice.one_in(4)) amend.terms.timeout_ms = dice.below(1000);
    if (dice.one_in(4)) amend.priority = 2;
    made.amends.push_back(std::move(amend));
  }
  return made;
}

/// Runs one world to its rest. Accidents are rarer than work.
Broken run_to_rest(std::uint64_t seed) {
  constexpr int kMostActions = 20'000;
  const auto scenario = any_scenario(seed);
  Dice dice{~seed};
  World world{scenario};
  for (int done = 0; done < kMostActions; ++done) {
    if (!world.broken().empty()) return world.broken();
    const auto actions = world.actions();
    std::vector<const Action*> needed, optional;
    for (const auto& action : actions) (action.needed() ? needed : optional).push_back(&action);
    if (needed.empty()) {
      if (!world.at_rest()) return "the chain is stuck";
      const auto length = static_cast<std::uint32_t>(world.state().seq.value);
      if (auto broken = world.check_journal(1 + dice.below(length)); !broken.empty()) return broken;
      if (optional.empty() || dice.one_in(3)) return check_codec(world.state());
    }
    const bool accident = !optional.empty() && (needed.empty() || dice.one_in(30));
    auto action = accident ? *optional[dice.below(static_cast<std::uint32_t>(optional.size()))]
                           : *needed[dice.below(static_cast<std::uint32_t>(needed.size()))];
    if (action.kind == Action::finish || action.kind == Action::retry) action.choice = dice.next();
    world.act(action);
    if (dice.one_in(20)) {
      if (auto broken = check_codec(world.state()); !broken.empty()) return broken;
    }
  }
  return "it does not end";
}

}  // namespace

TEST_CASE("random programs keep every rule in random schedules", "[random]") {
#ifdef CATENA_SANITIZED
  constexpr std::uint64_t kSeeds = 200;
#else
  constexpr std::uint64_t kSeeds = 8000;
#endif
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto broken = run_to_rest(seed);
    INFO("seed " << seed);
    REQUIRE(broken == "");
  }
}

}  // namespace catena::engine::test
