// Forks of the chains of random programs: whatever the prefix of a journal that is shared, the fork comes to its rest by the same rules, and runs
// nothing again that had settled in what is shared.
#include "engine/fork.hpp"

#include <catch2/catch.hpp>

#include "tests/engine/dice.hpp"
#include "tests/engine/random_scenario.hpp"
#include "tests/engine/simulator.hpp"
#include "tests/engine/story.hpp"

namespace catena::engine::test {
namespace {

constexpr int kActionsOfFork = 20'000;

/// One that comes to its rest: a person's accidents are over after a while.
Broken go_on(
    World& world, Dice& dice, const std::function<void(const World&)>& look = [](const World&) {}) {
  for (int done = 0; done < kActionsOfFork; ++done) {
    if (!world.broken().empty()) return world.broken();
    look(world);
    const auto actions = world.actions();
    std::vector<const Action*> needed, optional;
    for (const auto& action : actions) (action.needed() ? needed : optional).push_back(&action);
    if (needed.empty()) {
      if (!world.at_rest()) return "the chain is stuck";
      if (optional.empty() || dice.one_in(2)) return world.check_journal(0);
    }
    const bool accident = !optional.empty() && (needed.empty() || dice.one_in(30));
    auto action = accident ? *optional[dice.below(static_cast<std::uint32_t>(optional.size()))]
                           : *needed[dice.below(static_cast<std::uint32_t>(needed.size()))];
    if (action.kind == Action::finish || action.kind == Action::retry || action.kind == Action::repair) action.choice = dice.next();
    world.act(action);
  }
  return "it does not end";
}

/// What was settled where the fork begins is not granted again, unless the fork, or a person's retry after it, opens it.
Broken check_shared(const std::vector<Event>& journal, std::size_t shared) {
  ChainState state;
  std::set<std::pair<VisitId, ItemIndex>> settled;
  for (std::size_t at = 0; at < journal.size(); ++at) {
    evolve(state, journal[at]);
    if (at == shared) {
      if (!std::holds_alternative<ChainForked>(journal[at])) return "a fork does not begin as one";
      for (StepIndex step = 0; step < state.steps.size(); ++step) {
        const auto& visit = state.steps[step];
        for (ItemIndex item = 0; item < visit.width; ++item) {
          if (visit.ok.test(item)) settled.insert({{step, visit.visit}, item});
        }
      }
    }
    if (const auto* retried = std::get_if<RetryRequested>(&journal[at])) {
      for (const auto& opened : retried->steps) std::erase_if(settled, [&](const auto& task) { return task.first.step == opened.step; });
    }
    if (const auto* granted = std::get_if<Granted>(&journal[at])) {
      Broken broken;
      granted->items.for_each([&](ItemIndex item) {
        if (settled.contains({granted->visit, item})) broken = "something that is shared runs again";
      });
      if (!broken.empty()) return broken;
    }
  }
  return {};
}

struct Tally {
  int seq = 0;
  int at = 0;
  int refused = 0;
};

Broken fork_at(const Scenario& scenario, const std::vector<Event>& journal, std::size_t shared, std::optional<StepIndex> step, Dice& dice,
               Tally& tally) {
  const std::vector<Event> prefix(journal.begin(), journal.begin() + static_cast<std::ptrdiff_t>(shared));
  ChainState state;
  for (const auto& event : prefix) evolve(state, event);
  Fork fork{.source = ChainId{"before"}, .step = step};
  if (dice.one_in(2)) fork.arguments = inline_payload(R"({"n":1})");
  if (obstacle_of_fork(state, step)) {
    ++tally.refused;
    const auto before = state;
    const auto decision = decide(scenario.prepared, state, Input{fork, state.last_at + 1});
    return decision.events.empty() && state == before ? "" : "a fork was refused and begun";
  }
  ++(step ? tally.at : tally.seq);
  World world{scenario, prefix, fork};
  if (auto broken = go_on(world, dice); !broken.empty()) return broken;
  return check_shared(world.journal(), shared);
}

Broken fork_anywhere(std::uint64_t seed, Tally& tally) {
  auto scenario = any_scenario(seed);
  scenario.budget.crashes = scenario.budget.restarts = 0;  // what is decided stays where it is in the journal
  Dice dice{mix(seed)};
  World source{scenario};
  std::set<std::size_t> whole;  // where decisions end
  if (auto broken = go_on(source, dice, [&](const World& world) { whole.insert(world.state().seq.value); }); !broken.empty()) return broken;
  const auto journal = source.journal();
  whole.insert(journal.size());
  for (std::size_t at = 1; at < journal.size(); ++at) {
    if (parts(journal[at - 1], journal[at])) {
      if (!whole.contains(at)) return "a decision was cut in two between " + to_json(journal[at - 1]).dump() + " and " + to_json(journal[at]).dump();
    }
  }
  std::vector<std::size_t> places(whole.begin(), whole.end());
  for (int forks = 0; forks < 4; ++forks) {
    const auto shared = places[dice.below(static_cast<std::uint32_t>(places.size()))];
    const auto steps = static_cast<std::uint32_t>(scenario.prepared.program->steps.size());
    const auto step = dice.one_in(2) ? std::optional<StepIndex>{} : std::optional<StepIndex>{dice.below(steps)};
    if (auto broken = fork_at(scenario, journal, shared, step, dice, tally); !broken.empty())
      return broken + ", shared " + std::to_string(shared) + (step ? ", step " + std::to_string(*step) : "");
  }
  return {};
}

}  // namespace

TEST_CASE("forks of random chains keep every rule, and share what had settled", "[random][fork]") {
#ifdef CATENA_SANITIZED
  constexpr std::uint64_t kSeeds = 40;
#else
  constexpr std::uint64_t kSeeds = 500;
#endif
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto broken = fork_anywhere(seed, tally);
    INFO("seed " << seed);
    REQUIRE(broken == "");
  }
  CHECK(tally.seq > static_cast<int>(kSeeds / 4));
  CHECK(tally.at > static_cast<int>(kSeeds / 4));
  CHECK(tally.refused > 0);
}

TEST_CASE("a step of a sequence that a fork goes back from has not run in the fork: a retry begins with what failed alone", "[fork]") {
  Story story{sequence({S("a").ok(lang::Go{1}), S("b").ok(lang::Go{2}), S("c")})};
  story.run(0).report(1, 0);
  story.run(1);
  REQUIRE(story.state.running.contains(1));
  story.feed(Fork{.source = ChainId{"before"}, .step = StepIndex{0}});
  CHECK(story.state.steps[1].status == VisitStatus::blocked);
  story.run(0).report(3, 0, Outcome::failed);
  REQUIRE(story.state.status == ChainStatus::failed);
  story.feed(Retry{});
  const auto* retried = std::get_if<RetryRequested>(&story.last.events.front());
  REQUIRE(retried != nullptr);
  REQUIRE(retried->steps.size() == 1);
  CHECK(retried->steps.front().step == 0);
  story.offer(0).report(4, 0);
  story.run(1).report(5, 0);
  story.run(2).report(6, 0);
  CHECK(story.owes(EvaluateOutputs{}));
}

}  // namespace catena::engine::test
