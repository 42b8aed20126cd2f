#include "storage/schedule_store.hpp"

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

void put_schedule(Batch& batch, std::string_view name, std::string_view said) { put_record(batch, keys::schedule(name), RecordKind::schedule, said); }

void put_schedule_state(Batch& batch, std::string_view name, std::string_view state) {
  put_record(batch, keys::schedule_state(name), RecordKind::schedule_state, state);
}

void remove_schedule(Batch& batch, std::string_view name) {
  batch.remove(keys::schedule(name));
  batch.remove(keys::schedule_state(name));
}

Result<std::optional<std::string>> load_schedule(const Kv& kv, std::string_view name) {
  return load_record(kv, keys::schedule(name), RecordKind::schedule);
}

Result<std::optional<std::string>> load_schedule_state(const Kv& kv, std::string_view name) {
  return load_record(kv, keys::schedule_state(name), RecordKind::schedule_state);
}

Result<void> scan_schedules(const Kv& kv, std::string_view after, const ScheduleVisitor& visitor) {
  const auto range = keys::schedules(after);
  const auto name_at = keys::schedule({}).size();
  return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    return visitor(key.substr(name_at), open_record(RecordKind::schedule, value, key));
  });
}

}  // namespace catena::storage
