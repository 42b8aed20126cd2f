#include "storage/trace_cursor.hpp"

#include <string>
#include <utility>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

std::string trace_cursor_key() { return keys::meta("traces"); }

}  // namespace

void put_trace_cursor(Batch& batch, std::uint64_t next) {
  std::string payload;
  append_be64(payload, next);
  put_record(batch, trace_cursor_key(), RecordKind::meta, payload);
}

Result<std::optional<std::uint64_t>> load_trace_cursor(const Kv& kv) {
  auto payload = load_record(kv, trace_cursor_key(), RecordKind::meta);
  if (!payload) return fail(std::move(payload).error());
  if (!*payload) return std::nullopt;
  if ((*payload)->size() != sizeof(std::uint64_t))
    return fail(Code::storage_corrupt, "the record of how far traces were exported is damaged; restore the data directory from a backup");
  return read_be64(**payload);
}

}  // namespace catena::storage
