#pragma once
// The actors of the desk that have threads of their own: readers, and lanes of what takes longer than a reader may.
#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <functional>
#include <string_view>

#include "api/batch.hpp"
#include "api/desk.hpp"

namespace catena::api {

/// Serves requests one after the other: what it reads may come from a disk.
caf::behavior reader_of(caf::event_based_actor* self, const caf::actor& desk, const DeskOptions& options);

/// Does what is given it, one after the other.
caf::behavior lane_of(caf::event_based_actor* self, const caf::actor& desk);

/// A line for each submission of the batch. `status_of`: of the chain of a line; empty: nobody knows.
[[nodiscard]] Answer batch_answer(const Batch& batch, const std::function<std::string_view(const BatchLine& line)>& status_of);

}  // namespace catena::api
