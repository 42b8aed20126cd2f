#include "storage/audit_store.hpp"

#include <fmt/format.h>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

void put_audit_entry(Batch& batch, std::uint64_t number, const AuditEntry& entry) {
  put_record(batch, keys::audit_entry(number), RecordKind::audit, codec::to_bytes(entry));
}

void remove_audit_entries(Batch& batch, std::uint64_t first, std::uint64_t end) {
  const auto range = keys::audit_entries(first, end);
  batch.remove_range(range.from, range.to);
}

Result<void> scan_audit_entries(const Kv& kv, std::uint64_t first, const AuditVisitor& visitor) {
  const auto range = keys::audit_entries(first);
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::audit, value, key);
    if (!payload) {
      read = fail(payload.error());
      return false;
    }
    const auto entry = codec::from_bytes<AuditEntry>(*payload);
    if (!entry) {
      read =
          fail(Code::storage_corrupt,
               fmt::format("the entry of the audit log stored at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
      return false;
    }
    return visitor(keys::number_of_audit_entry(key).value_or(0), *entry);
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

Result<void> scan_audit_numbers(const Kv& kv, const std::function<bool(std::uint64_t number)>& visitor) {
  const auto range = keys::audit_entries(0);
  return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view) { return visitor(keys::number_of_audit_entry(key).value_or(0)); });
}

}  // namespace catena::storage
