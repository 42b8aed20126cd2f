#pragma once
// How every stored value is wrapped: format, kind, length, payload, checksum. Damage of any kind is found before a payload is read.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// What a record holds. The numbers are on disk: add, never renumber.
enum class RecordKind : std::uint8_t {
  meta = 1,
  package = 2,
  summary = 3,
  event = 4,
  item = 5,
  inputs = 6,
  checkpoint = 7,
  blob = 8,
  index = 9,
  file = 10,
  file_version = 11,
  file_put = 12,
  events = 13,  // of one turn of a chain
  log = 14,     // a segment of what attempts printed, or what those of a chain come to
  removal = 20,
  submission = 21,  // under a key that its client gave it
  notice = 30,      // of the feed, alone, as earlier versions wrote it
  audit = 31,       // an entry of the audit log
  delivery = 32,    // of a webhook
  delivery_body = 33,
  schedule = 34,
  schedule_state = 35,
  approval = 36,  // that a step waits for
  task_checkpoint = 37,
  task_progress = 38,
  notices = 39,  // of the feed, that were written together
};

/// "journal event", "ledger item", …: for messages.
[[nodiscard]] std::string_view name(RecordKind kind);

/// Appends the record of the parts' concatenation to `out`.
void append_record(std::string& out, RecordKind kind, std::initializer_list<std::string_view> parts);
[[nodiscard]] std::string record(RecordKind kind, std::string_view payload);

/// The payload, a view into `bytes`. storage_corrupt when the record is damaged or of another kind, storage_format when a newer
/// catena wrote it; `key` is for the message.
[[nodiscard]] Result<std::string_view> open_record(RecordKind kind, std::string_view bytes, std::string_view key);

void put_record(Batch& batch, std::string_view key, RecordKind kind, std::string_view payload);
/// The payload of the record at `key`; nothing where there is none. Errors: those of open_record and of the store.
[[nodiscard]] Result<std::optional<std::string>> load_record(const Kv& kv, std::string_view key, RecordKind kind);

}  // namespace catena::storage
