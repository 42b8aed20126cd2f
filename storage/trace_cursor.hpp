#pragma once
// How far the feed has been told to the receiver of traces: the number of the first notice that has not.
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

void put_trace_cursor(Batch& batch, std::uint64_t next);
/// None: nothing was ever told. Error: storage_corrupt.
[[nodiscard]] Result<std::optional<std::uint64_t>> load_trace_cursor(const Kv& kv);

}  // namespace catena::storage
