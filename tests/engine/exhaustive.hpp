#pragma once
// Tiny programs with the ends that they can have, and the exploration of all their schedules.
#include <catch2/catch.hpp>

#include "tests/base/scale.hpp"
#include "tests/engine/explorer.hpp"

namespace catena::engine::test {

struct Case {
  std::string name;
  Scenario scenario;
  std::set<ChainStatus> ends;
};

inline Scenario scenario(lang::Program program, Budget budget) {
  Scenario made;
  made.prepared = prepared_of(std::move(program));
  made.budget = budget;
  made.finds = [prepared = made.prepared](VisitId id) { return prepared.program->steps[id.step].each ? Found::expand : Found::begin; };
  return made;
}

/// The step's executions answer so; the others succeed.
inline auto answering(StepIndex step, unsigned first, unsigned later) {
  return [=](VisitId id, ItemIndex, unsigned execution) { return id.step == step ? (execution == 1 ? first : later) : unsigned{kOk}; };
}

/// The step finds so; the others begin.
inline auto finding(Scenario& in, StepIndex step, Found found) {
  return [=, others = in.finds](VisitId id) { return id.step == step ? found : others(id); };
}

inline constexpr unsigned kEither = kOk | kFatal;
inline constexpr Budget kCrash{.crashes = 1};
inline constexpr Budget kRestart{.restarts = 1, .duplicates = 1};
inline constexpr Budget kLoss{.losses = 1, .duplicates = 1};

inline void explore_all(const std::vector<Case>& cases) {
  // under sanitizers a part of every program's schedules
  constexpr std::size_t kMostWorlds = catena::test::scaled(60'000UL, 600UL);
  for (const auto& one : cases) {
    INFO(one.name);
    const auto result = Explorer{kMostWorlds}.explore(one.scenario);
    CHECK(result.broken == "");
    if (!catena::test::kSanitized) {
      CHECK(result.complete);
      CHECK(result.ends == one.ends);
    }
  }
}

}  // namespace catena::engine::test
