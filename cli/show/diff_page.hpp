#pragma once
// How two chains differ, as `catena diff` prints it for people. Pure.
#include <string>

#include "cli/show/table.hpp"
#include "client/chain_diff.hpp"

namespace catena::cli {

[[nodiscard]] std::string diff_text(const coordinator::ChainDiff& diff, const Room& room);

}  // namespace catena::cli
