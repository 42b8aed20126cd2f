#include "storage/meta.hpp"

#include <fmt/format.h>

#include <optional>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

std::string number_record(std::uint64_t number) {
  std::string bytes;
  append_be64(bytes, number);
  return record(RecordKind::meta, bytes);
}

Result<std::uint64_t> read_number(std::string_view bytes, std::string_view key) {
  const auto payload = open_record(RecordKind::meta, bytes, key);
  if (!payload) return fail(payload.error());
  if (payload->size() != sizeof(std::uint64_t)) {
    return fail(Code::storage_corrupt,
                fmt::format("the meta record {} is not a number; restore the data directory from a backup", keys::printable(key)));
  }
  return read_be64(*payload);
}

Result<std::optional<std::uint64_t>> load_number(const Kv& kv, std::string_view key) {
  const auto found = kv.get(key);
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  return read_number(**found, key);
}

/// A store without a format record is new, or not ours.
Result<Meta> load_meta_of_unmarked(const Kv& kv, std::string_view place) {
  bool empty = true;
  const auto scanned = kv.scan("", "", [&](std::string_view, std::string_view) { return empty = false; });
  if (!scanned) return fail(scanned.error());
  if (empty) return Meta{};
  return fail(not_ours(place));
}

}  // namespace

Error not_ours(std::string_view place) {
  return make_error(Code::storage_format, fmt::format("'{}' holds a database that catena did not write; choose another data directory", place));
}

Result<Meta> load_meta(const Kv& kv, std::string_view place) {
  const auto format = load_number(kv, keys::meta("format"));
  if (!format) return fail(format.error());
  if (!*format) return load_meta_of_unmarked(kv, place);
  if (**format != kFormatVersion) {
    return fail(Code::storage_format,
                fmt::format("the data in '{}' has format version {}, this catena reads version {}; use the version that wrote it, or another "
                            "data directory",
                            place, **format, kFormatVersion));
  }
  const auto epoch = load_number(kv, keys::meta("epoch"));
  if (!epoch) return fail(epoch.error());
  const auto commit = load_number(kv, commit_key());
  if (!commit) return fail(commit.error());
  return Meta{epoch->value_or(0), commit->value_or(0)};
}

Result<std::string> identity_of(Kv& kv, const std::string& fresh) {
  const auto key = keys::meta("identity");
  const auto found = kv.get(key);
  if (!found) return fail(found.error());
  if (*found) {
    const auto payload = open_record(RecordKind::meta, **found, key);
    if (!payload) return fail(payload.error());
    return std::string{*payload};
  }
  Batch batch;
  batch.put(key, record(RecordKind::meta, fresh));
  if (auto written = kv.write(batch, Durability::sync); !written) return fail(written.error());
  return fresh;
}

Batch opening_batch(std::uint64_t epoch) {
  Batch batch;
  batch.put(keys::meta("format"), number_record(kFormatVersion));
  batch.put(keys::meta("epoch"), number_record(epoch));
  return batch;
}

Result<bool> ended_in_order(const Kv& kv) {
  if (kv.epoch() <= 1) return true;
  const auto ended = load_number(kv, keys::meta("ended"));
  if (!ended) return fail(ended.error());
  return *ended && **ended + 1 == kv.epoch();
}

Batch end_in_order_batch(const Kv& kv) {
  Batch batch;
  batch.put(keys::meta("ended"), number_record(kv.epoch()));
  return batch;
}

Result<void> mark_end_in_order(Kv& kv) { return kv.write(end_in_order_batch(kv), Durability::sync); }

const std::string& commit_key() {
  static const std::string key = keys::meta("commit");
  return key;
}

std::string commit_record(std::uint64_t commit) { return number_record(commit); }

Result<std::uint64_t> read_commit(std::string_view record) { return read_number(record, commit_key()); }

}  // namespace catena::storage
