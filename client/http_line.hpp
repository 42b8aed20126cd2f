#pragma once
// A line to a coordinator over its HTTP interface: each request carries calls, in their order, and is answered with their answers (POST /v1/calls).
#include <memory>

#include "base/result.hpp"
#include "client/call_line.hpp"
#include "client/cluster_client.hpp"

namespace catena::client {

/// Not open yet. Errors: usage, where the address is none, or leads over a network without TLS that nobody allowed.
[[nodiscard]] Result<std::unique_ptr<CallLine>> make_http_line(const ClusterOptions& options);

}  // namespace catena::client
