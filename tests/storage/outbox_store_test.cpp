#include "storage/outbox_store.hpp"

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

Delivery delivery_named(const std::string& id) {
  Delivery delivery;
  delivery.id = id;
  delivery.chain = ChainId{"c"};
  delivery.event = "failed";
  delivery.url = "https://example.org/hook";
  delivery.secret = "hooks";
  delivery.at = delivery.since = delivery.next_at = 17;
  delivery.status = 503;
  return delivery;
}

}  // namespace

TEST_CASE("deliveries come back as they were put, in the order of their ids, and bodies are apart", "[outbox]") {
  MemoryKv kv;
  Batch batch;
  for (const auto* id : {"msg_02", "msg_01", "msg_03"}) {
    put_delivery(batch, delivery_named(id));
    put_delivery_body(batch, id, std::string{"body of "} + id);
  }
  must(kv.write(batch, Durability::sync));
  std::vector<Delivery> read;
  must(scan_deliveries(kv, "msg_01", [&](const Delivery& delivery) {
    read.push_back(delivery);
    return true;
  }));
  CHECK(read == std::vector{delivery_named("msg_02"), delivery_named("msg_03")});
  CHECK(load_delivery(kv, "msg_01").value() == delivery_named("msg_01"));
  CHECK(load_delivery_body(kv, "msg_03").value() == "body of msg_03");
  CHECK(keys::space_of(keys::delivery("x")) == keys::Space::outbox);
  CHECK(keys::space_of(keys::delivery_body("x")) == keys::Space::outbox);
  Batch removal;
  remove_delivery(removal, "msg_01");
  must(kv.write(removal, Durability::sync));
  CHECK_FALSE(load_delivery(kv, "msg_01").value());
  CHECK_FALSE(load_delivery_body(kv, "msg_01").value());
}

TEST_CASE("a delivery that is damaged is told with its place", "[outbox]") {
  MemoryKv kv;
  Batch batch;
  batch.put(keys::delivery("msg_01"), "rubbish");
  must(kv.write(batch, Durability::sync));
  CHECK(load_delivery(kv, "msg_01").error().code == Code::storage_corrupt);
  CHECK(scan_deliveries(kv, {}, [](const Delivery&) { return true; }).error().code == Code::storage_corrupt);
}

}  // namespace catena::storage::test
