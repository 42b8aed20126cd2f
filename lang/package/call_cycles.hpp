#pragma once
// Definitions that call each other for ever. A call counts here when every run of its definition that succeeds makes it: no condition, no
// way around it, no list that could be empty, no loop and no branch. A circle of such calls cannot end.
#include "base/result.hpp"
#include "lang/package/package.hpp"

namespace catena::lang {

/// Error: call_cycle, at the call that closes the first circle found, with the circle in words.
[[nodiscard]] Result<void> check_call_cycles(const Package& package);

}  // namespace catena::lang
