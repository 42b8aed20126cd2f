#pragma once
// What becomes of a step whose gate is open, and of a chain whose steps have settled: pure functions over a scope. What is too
// large for the journal goes to `records`.
#include "coordinator/records.hpp"
#include "coordinator/values.hpp"
#include "engine/input.hpp"

namespace catena::coordinator {

/// Items of a fan-out in one input record.
inline constexpr std::uint32_t kItemsPerChunk = 256;

[[nodiscard]] engine::Evaluated evaluate_step(const lang::Program& program, const ChainId& chain, VisitId visit, const ChainScope& scope,
                                              Records& records);

[[nodiscard]] engine::OutputsEvaluated evaluate_outputs(const lang::Program& program, const ChainScope& scope, Records& records);

/// The arguments of one item: those that all share, and the item under the fan-out's argument name. Checked against the schema.
[[nodiscard]] Result<lang::JsonText> item_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view item);

}  // namespace catena::coordinator
