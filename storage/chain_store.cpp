#include "storage/chain_store.hpp"

#include <fmt/format.h>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

// Flags of an item record. The numbers are on disk.
constexpr unsigned char kItemOk = 1;
constexpr unsigned char kItemInBlob = 2;

constexpr std::size_t kCountBytes = 4;  // of a record of several events, least first

}  // namespace

std::string encode(const ItemRecord& item) {
  std::string out;
  out.reserve(2 + item.blob.size() + item.text.size());
  out.push_back(static_cast<char>((item.ok ? kItemOk : 0U) | (item.blob.empty() ? 0U : kItemInBlob)));
  if (!item.blob.empty()) {
    out.push_back(static_cast<char>(item.blob.size()));
    out.append(item.blob);
  }
  out.append(item.text);
  return out;
}

Result<ItemRecord> decode_item(std::string_view payload) {
  const auto unreadable = [] { return fail(Code::storage_corrupt, "a ledger item does not have the form of one; restore from a backup"); };
  if (payload.empty()) return unreadable();
  const auto flags = static_cast<unsigned char>(payload.front());
  payload.remove_prefix(1);
  if ((flags & ~(kItemOk | kItemInBlob)) != 0) return unreadable();
  ItemRecord item;
  item.ok = (flags & kItemOk) != 0;
  if ((flags & kItemInBlob) != 0) {
    const std::size_t size = payload.empty() ? 0 : static_cast<unsigned char>(payload.front());
    if (size == 0 || payload.size() < 1 + size) return unreadable();
    item.blob = payload.substr(1, size);
    payload.remove_prefix(1 + size);
  }
  item.text = payload;
  return item;
}

void append_events(Batch& batch, const ChainId& chain, Sequence last, std::uint32_t count, std::string_view payload) {
  const auto key = keys::event(chain, last);
  if (count == 1) return put_record(batch, key, RecordKind::event, payload);
  std::string counted;
  counted.reserve(kCountBytes + payload.size());
  for (std::size_t byte = 0; byte < kCountBytes; ++byte) counted.push_back(static_cast<char>(count >> (8 * byte)));
  put_record(batch, key, RecordKind::events, counted.append(payload));
}

void put_item(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, std::string_view payload) {
  put_record(batch, keys::item(chain, visit, item), RecordKind::item, payload);
}

void remove_item(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item) { batch.remove(keys::item(chain, visit, item)); }

void put_inputs_chunk(Batch& batch, const ChainId& chain, VisitId visit, std::uint32_t chunk, std::string_view payload) {
  put_record(batch, keys::inputs(chain, visit, chunk), RecordKind::inputs, payload);
}

void put_checkpoint(Batch& batch, const ChainId& chain, std::string_view payload) {
  put_record(batch, keys::checkpoint(chain), RecordKind::checkpoint, payload);
}

void remove_checkpoint(Batch& batch, const ChainId& chain) { batch.remove(keys::checkpoint(chain)); }

void put_blob(Batch& batch, std::string_view hash, std::uint32_t part, std::string_view payload) {
  put_record(batch, keys::blob(hash, part), RecordKind::blob, payload);
}

Result<bool> put_package(const Kv& kv, Batch& batch, std::string_view hash, std::string_view payload) {
  const auto key = keys::package(hash);
  const auto found = kv.get(key);
  if (!found) return fail(found.error());
  if (*found) return false;
  put_record(batch, key, RecordKind::package, payload);
  return true;
}

namespace {

struct EventRecord {
  std::uint32_t count = 1;
  std::string_view payload;
};
Result<EventRecord> open_events(std::string_view value, std::string_view key) {
  const auto many = open_record(RecordKind::events, value, key);
  if (!many) return open_record(RecordKind::event, value, key).map([](std::string_view payload) { return EventRecord{1, payload}; });
  if (many->size() < kCountBytes) return fail(Code::storage_corrupt, "a record of the journal is cut off");
  EventRecord record{0, many->substr(kCountBytes)};
  for (std::size_t byte = 0; byte < kCountBytes; ++byte) record.count |= std::uint32_t{static_cast<unsigned char>((*many)[byte])} << (8 * byte);
  return record;
}

}  // namespace

Result<Sequence> load_events(const Kv& kv, const ChainId& chain, Sequence from, const EventVisitor& visitor) {
  if (auto valid = check_chain_id(chain); !valid) return fail(valid.error());
  const auto range = keys::events(chain, from);
  auto expected = from;
  bool begun = false;
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto last = keys::sequence_of(key).value_or(0);
    const auto record = open_events(value, key);
    if (!record) {
      outcome = fail(record.error());
      return false;
    }
    const auto first = last + 1 - record->count;
    if (record->count == 0 || record->count > last || (begun ? first != expected : first > expected)) {
      outcome = fail(Code::storage_corrupt, fmt::format("the journal of chain '{}' has a gap: event {} is missing; restore the data directory "
                                                        "from a backup",
                                                        keys::printable(chain.value), expected));
      return false;
    }
    begun = true;
    expected = last + 1;
    return visitor(first, record->count, record->payload);
  });
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return expected - 1;
}

namespace {

/// Records of one kind in the order of their numbers.
Result<void> scan_numbered(const Kv& kv, const keys::Range& range, RecordKind kind,
                           const std::function<bool(std::uint32_t, std::string_view)>& visitor) {
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(kind, value, key);
    if (!payload) {
      outcome = fail(payload.error());
      return false;
    }
    return visitor(*keys::item_of(key), *payload);
  });
  return scanned ? outcome : scanned;
}

}  // namespace

Result<void> scan_items(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to, const ItemVisitor& visitor) {
  if (auto valid = check_chain_id(chain); !valid) return valid;
  return scan_numbered(kv, keys::items(chain, visit, from, to), RecordKind::item, visitor);
}

Result<std::optional<std::string>> load_item(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  return load_record(kv, keys::item(chain, visit, item), RecordKind::item);
}

Result<std::optional<std::string>> load_inputs(const Kv& kv, const ChainId& chain, VisitId visit, std::uint32_t chunk) {
  return load_record(kv, keys::inputs(chain, visit, chunk), RecordKind::inputs);
}

Result<void> scan_inputs(const Kv& kv, const ChainId& chain, VisitId visit, std::uint32_t first, const InputsVisitor& visitor) {
  if (auto valid = check_chain_id(chain); !valid) return valid;
  return scan_numbered(kv, {keys::inputs(chain, visit, first), keys::inputs(chain, visit, UINT32_MAX) + '\0'}, RecordKind::inputs, visitor);
}

Result<std::optional<std::string>> load_checkpoint(const Kv& kv, const ChainId& chain) {
  return load_record(kv, keys::checkpoint(chain), RecordKind::checkpoint);
}

Result<std::optional<std::string>> load_package(const Kv& kv, std::string_view hash) {
  return load_record(kv, keys::package(hash), RecordKind::package);
}

Result<std::optional<std::string>> load_blob_part(const Kv& kv, std::string_view hash, std::uint32_t part) {
  return load_record(kv, keys::blob(hash, part), RecordKind::blob);
}

Result<std::optional<std::string>> load_blob(const Kv& kv, std::string_view hash, std::uint64_t bytes) {
  std::optional<std::string> text;
  for (std::uint32_t part = 0;; ++part) {
    auto payload = load_blob_part(kv, hash, part);
    if (!payload || !*payload) return payload ? Result<std::optional<std::string>>{std::move(text)} : payload;
    if (!text) {
      text.emplace();
      text->reserve(bytes);
    }
    text->append(**payload);
    if (bytes != 0 && text->size() >= bytes) return text;
  }
}

}  // namespace catena::storage
