#pragma once
// A line to a coordinator over its link.
#include <memory>

#include "base/result.hpp"
#include "client/call_line.hpp"
#include "client/cluster_client.hpp"

namespace catena::client {

/// Not open yet. Errors: those of link::Dialer::open.
[[nodiscard]] Result<std::unique_ptr<CallLine>> make_link_line(const ClusterOptions& options);

}  // namespace catena::client
