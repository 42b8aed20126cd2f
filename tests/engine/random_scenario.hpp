#pragma once
// Random programs in random worlds: wider than the exhaustive ones.
#include "base/random.hpp"
#include "tests/engine/dice.hpp"
#include "tests/engine/simulator.hpp"

namespace catena::engine::test {

inline lang::Route any_route(Dice& dice, std::uint32_t steps, bool sequential) {
  if (sequential && !dice.one_in(3)) return lang::Go{dice.below(steps)};
  return dice.one_in(2) ? lang::Route{lang::Settle{}} : lang::Route{lang::FinishOk{}};
}

inline lang::Route any_end(Dice& dice, std::uint32_t steps, bool sequential) {
  return dice.one_in(3) ? lang::Route{lang::FailAtEnd{}} : any_route(dice, steps, sequential);
}

inline lang::Outputs any_outputs(Dice& dice) {
  if (dice.one_in(2)) return lang::AllResponses{};
  return dice.one_in(2) ? lang::Outputs{lang::SequenceResult{}} : lang::Outputs{lang::PlanResult{}};
}

inline S any_step(Dice& dice, StepIndex index, std::uint32_t steps, bool sequential) {
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
inline Retry any_wish(std::uint64_t choice, const ChainState& state) {
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

inline Scenario any_scenario(std::uint64_t seed) {
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
  for (auto& part : parts) {
    const bool carries = part.step.each && part.step.each->carries;
    if (carries || lang::signal_of(part.step) != nullptr || !sender.one_in(6)) continue;
    const auto timeout = std::chrono::milliseconds{sender.one_in(2) ? 0 : 1 + sender.below(20'000)};
    part.approve(timeout, static_cast<lang::OnApprovalTimeout>(sender.below(3)));
    const auto step = static_cast<StepIndex>(&part - parts.data());
    for (std::uint32_t number = 0; number < 8; ++number) {
      Approval given{
          .step = step, .items = IndexSet::range(sender.one_in(2) ? 0 : sender.below(50), 1 + sender.below(51)), .approved = !sender.one_in(4)};
      if (given.items.empty()) given.items = IndexSet::range(0, 51);
      if (given.approved && sender.one_in(4)) given.arguments = inline_payload(R"({"n":3})");
      given.key = part.step.id + " " + std::to_string(number);
      given.by = "ann";
      made.approvals.push_back(std::move(given));
    }
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
  made.budget.repairs = static_cast<int>(sender.below(4));
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
    if (sender.one_in(4)) amend.deadline = sender.one_in(3) ? Deadline{} : Deadline{Millis{1 + sender.below(20'000)}};
    made.amends.push_back(std::move(amend));
  }
  return made;
}

}  // namespace catena::engine::test
