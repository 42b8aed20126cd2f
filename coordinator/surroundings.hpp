#pragma once
// What an order says of the surroundings of its process: the context, the folder that it starts in, and the variables of its environment as
// {"NAME": "value" or {"secret": name}}.
#include <string>

#include "coordinator/records.hpp"
#include "coordinator/step_actor.hpp"
#include "coordinator/values.hpp"

namespace catena::coordinator {

/// Where the input records of a visit have them; no fan-out has that many chunks.
inline constexpr std::uint32_t kEnvironmentRecord = UINT32_MAX;

/// Some value is an expression: the variables are recorded with the visit.
[[nodiscard]] bool environment_varies(const lang::Step& step);
/// Where some is: evaluated, once, and put to the records. Errors: those of expressions.
[[nodiscard]] Result<std::optional<std::string>> write_environment(const lang::Step& step, const ChainId& chain, VisitId visit,
                                                                   const lang::Program& program, const ChainScope& scope, Records& records);

/// The context of an order, and the variables and the folder of its process. Errors: those of the store.
[[nodiscard]] Result<void> put_surroundings(StepState& state, const StepContext& context, actors::WorkOrder& order);

}  // namespace catena::coordinator
