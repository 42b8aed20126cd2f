#include "storage/log_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

template <class V>
void fields(V& v, LogSegment& x) {
  v("step", x.step), v("visit", x.visit), v("item", x.item), v("attempt", x.attempt), v("stream", x.stream), v("offset", x.offset), v("at", x.at),
      v("text", x.text);
}
template <class V>
void fields(V& v, LogTotals& x) {
  v("first", x.first), v("next", x.next), v("bytes", x.bytes), v("dropped", x.dropped);
}

namespace {

template <class T>
Result<T> read_log_record(std::string_view payload, std::string_view key) {
  auto read = codec::from_bytes<T>(payload);
  if (read) return std::move(*read);
  return fail(Code::storage_corrupt,
              fmt::format("the log segment stored at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
}

}  // namespace

void put_segment(Batch& batch, const ChainId& chain, std::uint64_t number, const LogSegment& segment) {
  put_record(batch, keys::log_segment(chain, number), RecordKind::log, codec::to_bytes(segment));
}

void remove_segment(Batch& batch, const ChainId& chain, std::uint64_t number) { batch.remove(keys::log_segment(chain, number)); }

void put_log_totals(Batch& batch, const ChainId& chain, const LogTotals& totals) {
  put_record(batch, keys::log_segment(chain, 0), RecordKind::log, codec::to_bytes(totals));
}

Result<LogTotals> load_log_totals(const Kv& kv, const ChainId& chain) {
  const auto key = keys::log_segment(chain, 0);
  const auto payload = load_record(kv, key, RecordKind::log);
  if (!payload) return fail(payload.error());
  return *payload ? read_log_record<LogTotals>(**payload, key) : LogTotals{};
}

Result<void> scan_segments(const Kv& kv, const ChainId& chain, std::uint64_t first, const SegmentVisitor& visitor) {
  const auto range = keys::log_segments(chain, std::max<std::uint64_t>(first, 1));
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::log, value, key);
    if (!payload) {
      read = fail(payload.error());
      return false;
    }
    const auto segment = read_log_record<LogSegment>(*payload, key);
    if (!segment) {
      read = fail(segment.error());
      return false;
    }
    return visitor(keys::number_of_segment(key).value_or(0), *segment);
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

}  // namespace catena::storage
