#pragma once
// What a sequence answers: the steps that ran, every attempt, the state at the end. The history comes from the journals of the chain and,
// for loops and parallel steps, of their rounds.
#include <string>

#include "coordinator/round_histories.hpp"
#include "coordinator/values.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Entries of a history, and of results, in one response; what is beyond them is in the journal, and the response says that there is more.
inline constexpr std::size_t kHistoryEntriesMax = 10'000;

/// Whose history it is.
struct SequenceOf {
  const lang::Package& package;
  const lang::Program& program;
  const ChainId& chain;
  const Sources& sources;
  const RoundHistories* rounds;  // that need not be read; null: all are
};
/// A JSON object as text: success chain_id chain_name steps_executed steps_succeeded steps_failed results execution_history final_state
/// completed_at. All of the chain's events have to be durable. Values beyond limits::kToolOutputBytesMax are left out, which the entry says.
[[nodiscard]] Result<std::string> sequence_result(const SequenceOf& of, const ChainScope& scope, bool success);

/// What a round leaves: {"written": {variable: value}}, in loops with the "carried" of the rounds before that it did not write anew. Of a
/// branch whose step was skipped, or failed and was passed over, with "passed_over": true. Counters of retries stay in the round.
[[nodiscard]] Result<std::string> block_result(const lang::Program& program, const engine::ChainState& state, const Sources& sources);

}  // namespace catena::coordinator
