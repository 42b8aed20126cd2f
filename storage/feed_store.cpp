#include "storage/feed_store.hpp"

#include <fmt/format.h>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

void put_notice(Batch& batch, std::uint64_t number, const Notice& notice) {
  put_record(batch, keys::notice(number), RecordKind::notice, codec::to_bytes(notice));
}

void remove_notices(Batch& batch, std::uint64_t first, std::uint64_t end) {
  const auto range = keys::notices(first, end);
  batch.remove_range(range.from, range.to);
}

Result<void> scan_notices(const Kv& kv, std::uint64_t first, const NoticeVisitor& visitor) {
  const auto range = keys::notices(first);
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::notice, value, key);
    if (!payload) {
      read = fail(payload.error());
      return false;
    }
    const auto notice = codec::from_bytes<Notice>(*payload);
    if (!notice) {
      read = fail(Code::storage_corrupt,
                  fmt::format("the notice stored at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
      return false;
    }
    return visitor(keys::number_of_notice(key).value_or(0), *notice);
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

Result<void> scan_notice_numbers(const Kv& kv, const std::function<bool(std::uint64_t number)>& visitor) {
  const auto range = keys::notices(0);
  return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view) { return visitor(keys::number_of_notice(key).value_or(0)); });
}

Result<std::uint64_t> first_notice(const Kv& kv) {
  std::uint64_t first = 0;
  const auto scanned = scan_notice_numbers(kv, [&](std::uint64_t number) {
    first = number;
    return false;
  });
  if (!scanned) return fail(scanned.error());
  return first;
}

}  // namespace catena::storage
