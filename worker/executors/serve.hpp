#pragma once
// serve:<program> [args…]: a long-lived child that is called many times, JSON-RPC 2.0, one message a line. A slot that needs one takes one
// that is idle or starts one, so there are at most as many as slots.
//
//   > {"jsonrpc":"2.0","id":7,"method":"call","params":{"arguments":{…},"idempotency_key":"…","attempt":1,"timeout_ms":5000}}
//   < {"jsonrpc":"2.0","id":7,"result":{…}}
//   < {"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"…","data":{"retryable":true}}}
#include <memory>

#include "worker/executor.hpp"

namespace catena::worker {

/// Children kept without work; of more the one that waits longest is ended.
inline constexpr std::size_t kServeIdleMax = 64;

[[nodiscard]] std::unique_ptr<Executor> make_serve_executor(const ExecutorOptions& options = {});

}  // namespace catena::worker
