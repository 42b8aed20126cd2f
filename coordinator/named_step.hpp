#pragma once
// A step by the name that a person gives it.
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

/// Error usage: the chain has none of that name; with the nearest that it has.
[[nodiscard]] Result<StepIndex> named_step(const lang::Program& program, const ChainId& chain, const std::string& name);

}  // namespace catena::coordinator
