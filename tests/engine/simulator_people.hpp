#pragma once
// What people send to a World, and whether it has come. A part of simulator.hpp.
#include "engine/approvals.hpp"
#include "engine/signals.hpp"
#include "tests/engine/world.hpp"

namespace catena::engine::test {

/// One that is too many, or that no step waits for, is refused, and its sender told so at once.
inline Broken World::send_signal(std::size_t index) {
  to_send_.erase(index);
  if (awaits_signal(*scenario_->prepared.program, scenario_->signals[index].name) && keeps_signal(state_, scenario_->signals[index]))
    unacked_signals_.insert(index);
  return feed(scenario_->signals[index]);
}

/// Whatever was lost on the way: what was answered came once, and nothing came twice or was taken twice.
inline Broken World::check_signals() const {
  std::map<std::string, int> came;
  std::set<std::uint64_t> kept;
  for (const auto& event : journal()) {
    if (const auto* received = std::get_if<SignalReceived>(&event)) {
      if (++came[received->key] > 1) return "a signal came twice";
      if (!kept.insert(received->number).second) return "two signals have one number";
    }
    if (const auto* consumed = std::get_if<SignalConsumed>(&event); consumed != nullptr && kept.erase(consumed->number) == 0)
      return "a signal was taken twice, or never came";
  }
  for (const auto signal : acked_signals_) {
    if (came[scenario_->signals[signal].key] != 1) return "a signal was lost";
  }
  std::set<std::uint64_t> known;
  for (const auto& signal : state_.had_signals.get().kept) known.insert(signal.number);
  return kept == known ? "" : "the signals that are kept are not those that came and were not taken";
}

/// One for what does not wait, or to a chain whose deadline has passed, is refused, and whoever gave it told so at once.
inline Broken World::send_approval(std::size_t index) {
  const auto& given = scenario_->approvals[index];
  to_answer_.erase(index);
  if (const auto deadline = awaited_deadline(state_); deadline != 0 && deadline <= now_) return {};
  const auto before = state_.seq;
  auto broken = feed(given);
  if (state_.seq != before) unacked_approvals_.insert(index);
  return broken;
}

/// Whatever was lost on the way: what was answered came once.
inline Broken World::check_approvals() const {
  std::map<std::string, int> came;
  for (const auto& event : journal()) {
    const auto* answered = std::get_if<ApprovalAnswered>(&event);
    if (answered != nullptr && !answered->key.empty() && ++came[answered->key] > 1) return "an approval counted twice";
  }
  for (const auto approval : acked_approvals_) {
    if (came[scenario_->approvals[approval].key] != 1) return "an approval was lost";
  }
  return {};
}

}  // namespace catena::engine::test
