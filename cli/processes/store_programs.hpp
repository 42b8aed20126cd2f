#pragma once
// Programs of chains for a worker that lives beside the store: no link brings them.
#include <cstdint>
#include <functional>
#include <string>

#include "actors/protocol.hpp"
#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

/// What NodeOptions::put_in_place is given: programs as they were pinned, written to `directory` when they are first run; those unused for longest go
/// where it would have more than `bytes_max` (0: never). `tool_user`: tools run as somebody else, who must be able to read them. The store must
/// outlive the function.
[[nodiscard]] std::function<Result<void>(actors::WorkOrder& order)> store_programs(const storage::Kv& kv, std::string directory,
                                                                                   std::uint64_t bytes_max, bool tool_user);

}  // namespace catena::cli
