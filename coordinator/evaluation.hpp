#pragma once
// What becomes of a step whose gate is open, of what it responded, and of a chain whose steps have settled: functions over a scope, which
// is also where they read the time and files from. What is too large for the journal goes to `records`. Nothing here is evaluated again
// once its result is durable.
#include <map>
#include <string>
#include <vector>

#include "coordinator/records.hpp"
#include "coordinator/values.hpp"
#include "engine/input.hpp"

namespace catena::coordinator {

/// Items of a fan-out in one input record.
inline constexpr std::uint32_t kItemsPerChunk = 256;

[[nodiscard]] engine::Evaluated evaluate_step(const lang::Program& program, const ChainId& chain, VisitId visit, const ChainScope& scope,
                                              Records& records);

/// What a tool or a child chain answered for an item.
struct Answered {
  lang::JsonText response;
  std::map<std::string, Json> variables;  // state writes
  std::vector<std::string> warnings;
};
/// The response of a plain step or of an item, ready to be recorded: transform_responses of a plain step, then the check against what is
/// declared. Errors: those of expressions, response_*; none is retryable.
[[nodiscard]] Result<Answered> evaluate_response(const lang::Program& program, StepIndex step, ChainScope& scope, lang::JsonText response);
/// transform_responses of a fan-out, over the list as the store has it.
[[nodiscard]] engine::Shaped evaluate_shape(const lang::Program& program, VisitId visit, ChainScope& scope, Records& records);

[[nodiscard]] engine::OutputsEvaluated evaluate_outputs(const lang::Program& program, const ChainScope& scope, Records& records);

/// The arguments of one item: those that all share, and the item under the fan-out's argument name; over both, what its own
/// transform_arguments set. Checked against the schema. `record` is the item as evaluate_step wrote it. Errors: also the one that the
/// item's transforms ended in.
[[nodiscard]] Result<lang::JsonText> item_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record,
                                                    const storage::Kv& kv);

}  // namespace catena::coordinator
