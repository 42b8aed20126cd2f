#pragma once
// Small programs, spelled in a line a step: graph({S("a"), S("b").after({0})}).
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace catena::engine::test {

/// One step in the making; converts to lang::Step by `.step`.
struct S {
  lang::Step step;

  explicit S(std::string id) {
    step.id = std::move(id);
    step.name = step.id;
    step.retry.jitter = 0;
  }
  S& after(std::vector<StepIndex> deps) {
    step.gate = lang::AfterAll{std::move(deps)};
    return *this;
  }
  S& on_entry() {
    step.gate = lang::OnEntry{};
    return *this;
  }
  S& each(lang::Join join = lang::Join::all, std::uint32_t count = 0) {
    step.each.emplace();
    step.each->join = join;
    step.each->join_count = count;
    return *this;
  }
  /// A fan-out with transform_responses. What it computes is the step actor's business.
  S& shaped() {
    step.shape.emplace();
    return *this;
  }
  /// Rounds of a loop, one after the other.
  S& carries() {
    step.each->window = 1;
    step.each->carries = true;
    step.gather = lang::Gather{true, {}};
    return *this;
  }
  S& any_failure(std::string counter) {
    step.retry.any_failure = true;
    step.retry_counter = std::move(counter);
    return *this;
  }
  S& window(std::uint32_t items) {
    step.each->window = items;
    return *this;
  }
  S& tolerate(std::uint32_t items) {
    step.each->tolerated = items;
    return *this;
  }
  S& tolerate_percentage(double share) {
    step.each->tolerated_percentage = share;
    return *this;
  }
  S& attempts(std::uint32_t most) {
    step.retry.max_attempts = most;
    return *this;
  }
  S& deadline(Millis span) {
    step.deadline = span;
    return *this;
  }
  S& at_most_once() {
    step.effect = lang::EffectClass::at_most_once;
    return *this;
  }
  /// Waits for a signal.
  S& signal(std::string name) {
    step.call = lang::SignalCall{std::move(name)};
    return *this;
  }
  /// Waits for a person before it is granted.
  S& approve(Millis timeout = Millis{0}, lang::OnApprovalTimeout on_timeout = lang::OnApprovalTimeout::fail) {
    step.approve = lang::ApprovalRule{.timeout = timeout, .on_timeout = on_timeout};
    return *this;
  }
  /// Starts child chains.
  S& composes() {
    step.call = lang::ProgramCall{"child.tool", {}};
    return *this;
  }
  /// Begins when all others are over, however the chain ends.
  S& finally() {
    step.finally = true;
    return *this;
  }
  S& ok(lang::Route route) {
    step.ok = route;
    return *this;
  }
  S& failed(lang::Route route) {
    step.failed = route;
    return *this;
  }
};

inline lang::Program graph(const std::vector<S>& steps, lang::FailurePolicy policy = lang::FailurePolicy::finish) {
  lang::Program program;
  program.name = "test";
  program.on_failure = policy;
  for (const auto& one : steps) program.steps.push_back(one.step);
  return program;
}

/// Steps with entry gates, entered at the first.
inline lang::Program sequence(std::vector<S> steps, std::uint32_t visits_max = limits::kVisitsMax) {
  for (auto& one : steps) one.on_entry();
  auto program = graph(steps);
  program.entry = 0;
  program.limits.visits_max = visits_max;
  return program;
}

inline PreparedProgram prepared_of(lang::Program program) {
  return prepare(std::make_shared<const lang::Program>(std::move(program)), ChainId{"chain"});
}

}  // namespace catena::engine::test
