#include "coordinator/schedule_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/codec.hpp"
#include "coordinator/client_calls.hpp"
#include "engine/schedule/fields.hpp"
#include "storage/schedule_store.hpp"

namespace catena::coordinator {

template <class V>
void fields(V& v, ScheduleSaid& x) {
  v("version", x.version), v("created_at", x.created_at), v("changed_at", x.changed_at), v("changed_by", x.changed_by), v("definition", x.definition),
      v("follow", x.follow), v("package", x.package), v("root", x.root), v("arguments", x.arguments), v("context", x.context), v("labels", x.labels),
      v("priority", x.priority), v("durability", x.durability), v("directory", x.directory), v("notify", x.notify), v("deadline", x.deadline);
}

namespace {

tl::unexpected<Error> unreadable_schedule(std::string_view name) {
  return fail(Code::storage_corrupt, fmt::format("the records of the schedule '{}' cannot be read; restore the data directory from a backup", name));
}

}  // namespace

std::string schedule_version(std::uint64_t version) { return fmt::format("v{}", version); }

void put_said(storage::Batch& batch, std::string_view name, const ScheduleSaid& said) { storage::put_schedule(batch, name, codec::to_bytes(said)); }

void put_standing(storage::Batch& batch, std::string_view name, const engine::ScheduleState& state) {
  storage::put_schedule_state(batch, name, codec::to_bytes(state));
}

Result<ScheduleSaid> read_said(std::string_view name, std::string_view bytes) {
  auto said = codec::from_bytes<ScheduleSaid>(bytes);
  if (!said) return unreadable_schedule(name);
  return std::move(*said);
}

Result<std::optional<ScheduleSaid>> load_said(const storage::Kv& kv, std::string_view name) {
  const auto bytes = storage::load_schedule(kv, name);
  if (!bytes) return fail(bytes.error());
  if (!*bytes) return std::optional<ScheduleSaid>{};
  return read_said(name, **bytes).map([](ScheduleSaid said) { return std::optional{std::move(said)}; });
}

Result<std::optional<engine::ScheduleState>> load_standing(const storage::Kv& kv, std::string_view name) {
  const auto bytes = storage::load_schedule_state(kv, name);
  if (!bytes) return fail(bytes.error());
  if (!*bytes) return std::optional<engine::ScheduleState>{};
  auto state = codec::from_bytes<engine::ScheduleState>(**bytes);
  if (!state) return unreadable_schedule(name);
  return std::optional{std::move(*state)};
}

ScheduleRow schedule_row(std::string_view name, const ScheduleSaid& said, engine::ScheduleState state, UnixMillis now, std::uint32_t due_times) {
  ScheduleRow row;
  row.name = name;
  row.version = schedule_version(said.version);
  row.definition = said.definition;
  row.package = said.package;
  row.follow = said.follow;
  row.created_at = said.created_at;
  row.changed_at = said.changed_at;
  row.changed_by = said.changed_by;
  row.labels = said.labels;
  row.priority = said.priority;
  row.deadline = said.deadline;
  row.state = std::move(state);
  const auto timetable = engine::timetable_of(row.state.plan);
  if (!timetable || row.state.paused) return row;
  auto due = timetable->next_after(std::max(now, row.state.decided_until));
  for (; due && row.next.size() < due_times; due = timetable->next_after(*due)) row.next.push_back(*due);
  return row;
}

Error no_schedule(std::string_view name) {
  return make_error(Code::schedule_not_found, fmt::format("there is no schedule '{}'; `catena schedule list` shows those there are", name));
}

Error not_to_be_read(std::string_view name, const Error& why) {
  return make_error(why.code, fmt::format("the schedule '{}' cannot be read, and does not run ({}); delete it, and make it anew", name, why.message));
}

}  // namespace catena::coordinator
