#pragma once
// The engine's three verbs. Pure: the same program, state and input give the same events, everywhere and every time.
#include <memory>
#include <vector>

#include "engine/effect.hpp"
#include "engine/event.hpp"
#include "engine/input.hpp"
#include "engine/state.hpp"
#include "lang/program/program.hpp"

namespace catena::engine {

/// A program with what is asked of it at every step, computed once.
struct PreparedProgram {
  std::shared_ptr<const lang::Program> program;
  std::vector<std::vector<StepIndex>> dependents;
  std::vector<std::uint32_t> urgency;  // steps on the longest way from each to the end, itself included
  std::vector<StepIndex> final_steps;
  bool sequence = false;   // some step has an entry gate
  bool composes = false;   // some step starts chains
  std::uint64_t seed = 0;  // of jitter: from the chain's id
};
[[nodiscard]] PreparedProgram prepare(std::shared_ptr<const lang::Program> program, const ChainId& chain);

struct Decision {
  std::vector<Event> events;
  Effects effects;  // outstanding(after) minus outstanding(before)
  /// For a Report: which of its items were accepted, so that their ledger records are written; the rest is dropped.
  IndexSet accepted;
};

/// Judges an input. `state` is moved along by exactly the events returned: folding them over the state before gives the state after.
/// Cost: O(events + dependents of what settled + open grants).
[[nodiscard]] Decision decide(const PreparedProgram& prepared, ChainState& state, const Input& input);

/// Applies a fact. Total: an event that cannot be (found only in damaged journals) changes nothing but the sequence.
void evolve(ChainState& state, const Event& event);

/// Whether what happens now belongs to another part of the chain's trace: a person's retry does, and what comes behind a long wait in which
/// nothing ran. Neither may stretch one trace over days.
[[nodiscard]] bool begins_trace_part(const ChainState& state, const Event& event);

/// Everything the state owes the outside. O(steps + grants).
[[nodiscard]] Effects outstanding(const PreparedProgram& prepared, const ChainState& state);

}  // namespace catena::engine
