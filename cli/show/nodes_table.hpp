#pragma once
// The workers of a cluster, as `catena nodes` prints them.
#include <vector>

#include "actors/messages.hpp"
#include "cli/records.hpp"

namespace catena::cli {

void print_nodes(const std::vector<actors::NodeInfo>& nodes, Form form, Console& console);

}  // namespace catena::cli
