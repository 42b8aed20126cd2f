#pragma once
// What came of an item, as a report says it: to the engine, and to the ledger where the item is one of a fan-out.
#include "actors/messages.hpp"
#include "coordinator/evaluation.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

void report_failure(const lang::Step& step, ItemIndex item, Error error, actors::StepReport& report);
void report_response(const lang::Step& step, ItemIndex item, engine::Payload response, Answered answered, actors::StepReport& report);

/// Of a child chain that failed or was cancelled, as its step has it. Each level says what is its own and what was at the root of it, so that deep
/// nesting stays readable, and which chain it was.
[[nodiscard]] Error child_error(const lang::Step& step, const ChainId& child, const Error& error);

}  // namespace catena::coordinator
