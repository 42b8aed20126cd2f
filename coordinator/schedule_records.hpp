#pragma once
// What the store has of a schedule. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "base/chain_labels.hpp"
#include "base/webhooks.hpp"
#include "coordinator/inspect/schedule_questions.hpp"
#include "engine/schedule/schedule.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// The label of each run, with the name of its schedule.
inline constexpr std::string_view kScheduleLabel = "schedule";

/// What a schedule runs, as somebody said it: this changes when it is put again.
struct ScheduleSaid {
  std::uint64_t version = 1;
  UnixMillis created_at = 0;
  UnixMillis changed_at = 0;
  std::string changed_by = {};
  std::string definition = {};  // as it was named
  bool follow = false;
  std::string package = {};  // its hash: keeps it in the store
  std::string root = {};     // key within the package
  std::string arguments = {};
  std::string context = {};
  ChainLabels labels = {};
  std::int32_t priority = 0;
  storage::Durability durability = storage::Durability::sync;
  std::string directory = {};
  std::vector<Webhook> notify = {};
  std::string deadline = {};  // of each run, a span; empty: none
};

[[nodiscard]] std::string schedule_version(std::uint64_t version);

void put_said(storage::Batch& batch, std::string_view name, const ScheduleSaid& said);
void put_standing(storage::Batch& batch, std::string_view name, const engine::ScheduleState& state);
/// Nothing: there is none. Error: storage_corrupt.
[[nodiscard]] Result<std::optional<ScheduleSaid>> load_said(const storage::Kv& kv, std::string_view name);
[[nodiscard]] Result<std::optional<engine::ScheduleState>> load_standing(const storage::Kv& kv, std::string_view name);
[[nodiscard]] Result<ScheduleSaid> read_said(std::string_view name, std::string_view bytes);

/// As it is told, with so many due times behind `now`; without arguments and context.
[[nodiscard]] ScheduleRow schedule_row(std::string_view name, const ScheduleSaid& said, engine::ScheduleState state, UnixMillis now,
                                       std::uint32_t due_times);
[[nodiscard]] Error no_schedule(std::string_view name);
/// Of one whose record cannot be read, `why`.
[[nodiscard]] Error not_to_be_read(std::string_view name, const Error& why);

}  // namespace catena::coordinator
