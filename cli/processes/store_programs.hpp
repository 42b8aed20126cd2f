#pragma once
// Programs of chains for a worker that lives beside the store: no link brings them.
#include <functional>
#include <string>

#include "actors/protocol.hpp"
#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

/// What NodeOptions::put_in_place is given: programs as they were pinned, written to `directory` when they are first run. `tool_user`: tools run
/// as somebody else, who must be able to read them. The store must outlive the function.
[[nodiscard]] std::function<Result<void>(actors::WorkOrder& order)> store_programs(const storage::Kv& kv, std::string directory, bool tool_user);

}  // namespace catena::cli
