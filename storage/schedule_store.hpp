#pragma once
// Schedules: of each what it runs and when, which changes when somebody says so, and how it stands, which changes with each run. Both are the
// coordinator's records; here they are bytes under a name.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

void put_schedule(Batch& batch, std::string_view name, std::string_view said);
void put_schedule_state(Batch& batch, std::string_view name, std::string_view state);
/// Both.
void remove_schedule(Batch& batch, std::string_view name);

/// Nothing: there is none. Errors: storage_corrupt where the record is damaged, and those of the store.
[[nodiscard]] Result<std::optional<std::string>> load_schedule(const Kv& kv, std::string_view name);
[[nodiscard]] Result<std::optional<std::string>> load_schedule_state(const Kv& kv, std::string_view name);

/// What those with names behind `after` run, in the order of their names, until the visitor answers false. A damaged record is told of as an error
/// of its own, and those behind it come all the same. Errors: those of the store.
using ScheduleVisitor = std::function<bool(std::string_view name, const Result<std::string_view>& said)>;
[[nodiscard]] Result<void> scan_schedules(const Kv& kv, std::string_view after, const ScheduleVisitor& visitor);

}  // namespace catena::storage
