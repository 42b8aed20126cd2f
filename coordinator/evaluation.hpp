#pragma once
// What becomes of a step whose gate is open, of what it responded, and of a chain whose steps have settled: functions over a scope, which
// is also where they read the time and files from. What is too large for the journal goes to `records`. Nothing here is evaluated again
// once its result is durable.
#include <map>
#include <string>
#include <vector>

#include "coordinator/records.hpp"
#include "coordinator/round_histories.hpp"
#include "coordinator/values.hpp"
#include "engine/input.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Items of a fan-out in one input record.
inline constexpr std::uint32_t kItemsPerChunk = 256;

/// Of what the step calls: a tool, or a definition of the package.
[[nodiscard]] const std::string& tool_name(const lang::Step& step);

[[nodiscard]] engine::Evaluated evaluate_step(const lang::Program& program, const ChainId& chain, VisitId visit, const ChainScope& scope,
                                              Records& records);

/// What a tool or a child chain answered for an item.
struct Answered {
  lang::JsonText response;
  std::map<std::string, engine::Payload> variables;  // state writes
  std::vector<std::string> warnings;
};
/// The response of a plain step or of an item, ready to be recorded: transform_responses of a plain step, then the check against what is
/// declared, then the writes. Errors: those of expressions, response_*, and tool_failed of a step that heeds `success`; none is retryable.
[[nodiscard]] Result<Answered> evaluate_response(const lang::Program& program, StepIndex step, ChainScope& scope, lang::JsonText response,
                                                 Records& records);
/// A response that a person gives in place of running a plain step or an item, as it is to be recorded: checked against what is declared,
/// with the state writes of a plain step. Errors: response_*, those of expressions.
[[nodiscard]] Result<std::map<std::string, engine::Payload>> evaluate_given(const lang::Program& program, StepIndex step, ChainScope& scope,
                                                                            const lang::JsonText& response, Records& records);
/// transform_responses of a fan-out and what its rounds leave in the state, over the list as the store has it.
[[nodiscard]] engine::Shaped evaluate_shape(const lang::Program& program, VisitId visit, ChainScope& scope, Records& records);

/// The response of a chain, and where it comes from.
struct OutputsOf {
  const lang::Package& package;
  const lang::Program& program;
  const ChainId& chain;
  const engine::ChainState& state;
  Sources sources;
  const RoundHistories* rounds = nullptr;  // null: none are known
};
[[nodiscard]] engine::OutputsEvaluated evaluate_outputs(const OutputsOf& of, Records& records);

/// The arguments of one item: those that all share, and the item under the fan-out's argument name; over both, what its own
/// transform_arguments set. Checked against the schema. `record` is the item as evaluate_step wrote it. Errors: also the one that the
/// item's transforms ended in.
[[nodiscard]] Result<lang::JsonText> item_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record,
                                                    const storage::Kv& kv);
/// Those of a round that carries on from the one before, whose response is `before` (null of the first).
[[nodiscard]] Result<lang::JsonText> round_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record,
                                                     const lang::JsonText& before);

}  // namespace catena::coordinator
