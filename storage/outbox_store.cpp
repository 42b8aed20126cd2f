#include "storage/outbox_store.hpp"

#include <fmt/format.h>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

tl::unexpected<Error> unreadable_delivery(std::string_view key) {
  return fail(Code::storage_corrupt,
              fmt::format("the webhook delivery stored at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
}

}  // namespace

void put_delivery(Batch& batch, const Delivery& delivery) {
  put_record(batch, keys::delivery(delivery.id), RecordKind::delivery, codec::to_bytes(delivery));
}

void put_delivery_body(Batch& batch, std::string_view id, std::string_view body) {
  put_record(batch, keys::delivery_body(id), RecordKind::delivery_body, body);
}

void remove_delivery(Batch& batch, std::string_view id) {
  batch.remove(keys::delivery(id));
  batch.remove(keys::delivery_body(id));
}

Result<std::optional<Delivery>> load_delivery(const Kv& kv, std::string_view id) {
  const auto key = keys::delivery(id);
  const auto payload = load_record(kv, key, RecordKind::delivery);
  if (!payload) return fail(payload.error());
  if (!*payload) return std::optional<Delivery>{};
  auto delivery = codec::from_bytes<Delivery>(**payload);
  if (!delivery) return unreadable_delivery(key);
  return std::optional{std::move(*delivery)};
}

Result<std::optional<std::string>> load_delivery_body(const Kv& kv, std::string_view id) {
  return load_record(kv, keys::delivery_body(id), RecordKind::delivery_body);
}

Result<void> scan_deliveries(const Kv& kv, std::string_view after, const DeliveryVisitor& visitor) {
  const auto range = keys::deliveries(after);
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::delivery, value, key);
    if (!payload) {
      read = fail(payload.error());
      return false;
    }
    const auto delivery = codec::from_bytes<Delivery>(*payload);
    if (!delivery) {
      read = unreadable_delivery(key);
      return false;
    }
    return visitor(*delivery);
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

}  // namespace catena::storage
