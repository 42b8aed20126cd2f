#include "storage/chain_store.hpp"

#include <vector>

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

const ChainId kChain{"parent/step/7"};
const ChainId kNeighbour{"parent/step/70"};

struct BatchedKv {
  MemoryKv kv;
  Batch batch;
  void write() {
    must(kv.write(batch, Durability::sync));
    batch.clear();
  }
};

/// "1:a 2:b": what load_events visits.
std::string events(const Kv& kv, const ChainId& chain, Sequence from) {
  std::string seen;
  must(load_events(kv, chain, from, [&](Sequence sequence, std::uint32_t, std::string_view payload) {
    seen += (seen.empty() ? "" : " ") + std::to_string(sequence.value) + ":" + std::string{payload};
    return true;
  }));
  return seen;
}

}  // namespace

TEST_CASE("a journal is read in order from a sequence on, each chain its own", "[chain]") {
  BatchedKv store;
  for (Sequence n = 1; n <= 300; ++n) append_events(store.batch, kChain, n, 1, "e" + std::to_string(n.value));
  append_events(store.batch, kNeighbour, 1, 1, "other");
  store.write();
  CHECK(events(store.kv, kChain, 298) == "298:e298 299:e299 300:e300");
  CHECK(events(store.kv, kNeighbour, 1) == "1:other");
  const auto all = load_events(store.kv, kChain, 1, [](Sequence, std::uint32_t, std::string_view) { return true; });
  CHECK(must(all) == 300);
}

TEST_CASE("reading a journal answers the last sequence visited", "[chain]") {
  BatchedKv store;
  CHECK(must(load_events(store.kv, kChain, 1, [](Sequence, std::uint32_t, std::string_view) { return true; })) == 0);
  for (Sequence n = 1; n <= 3; ++n) append_events(store.batch, kChain, n, 1, "");
  store.write();
  CHECK(must(load_events(store.kv, kChain, 1, [](Sequence n, std::uint32_t, std::string_view) { return n < 2; })) == 2);
  CHECK(must(load_events(store.kv, kChain, 4, [](Sequence, std::uint32_t, std::string_view) { return true; })) == 3);
}

TEST_CASE("a journal with a gap is corrupt, at its beginning too", "[chain]") {
  for (const Sequence missing : {1U, 2U}) {
    BatchedKv store;
    for (Sequence n = 1; n <= 3; ++n) {
      if (n != missing) append_events(store.batch, kChain, n, 1, "");
    }
    store.write();
    const auto loaded = load_events(store.kv, kChain, 1, [](Sequence, std::uint32_t, std::string_view) { return true; });
    CHECK(code_of(loaded) == Code::storage_corrupt);
    CHECK(loaded.error().message.find("event " + std::to_string(missing.value) + " is missing") != std::string::npos);
  }
}

TEST_CASE("events that were decided together are one record, found from any of them", "[chain]") {
  BatchedKv store;
  append_events(store.batch, kChain, 2, 2, "1-2");
  append_events(store.batch, kChain, 3, 1, "3");
  append_events(store.batch, kChain, 300, 297, "4-300");
  store.write();
  using Read = std::tuple<Sequence, std::uint32_t, std::string>;
  const auto from = [&](Sequence first) {
    std::vector<Read> read;
    must(load_events(store.kv, kChain, first, [&](Sequence at, std::uint32_t count, std::string_view payload) {
      read.emplace_back(at, count, payload);
      return true;
    }));
    return read;
  };
  const std::vector<Read> all{{1, 2, "1-2"}, {3, 1, "3"}, {4, 297, "4-300"}};
  CHECK(from(1) == all);
  CHECK(from(2) == all);
  CHECK(from(4) == std::vector<Read>{all[2]});
  CHECK(from(300) == std::vector<Read>{all[2]});
  CHECK(from(301).empty());
}

TEST_CASE("a record of more or fewer events than its place has room for is a gap", "[chain]") {
  for (const std::uint32_t count : {0U, 1U, 3U, 4U, 900U}) {
    BatchedKv store;
    append_events(store.batch, kChain, 1, 1, "1");
    append_events(store.batch, kChain, 3, count, "2-3");
    store.write();
    CHECK(code_of(load_events(store.kv, kChain, 1, [](Sequence, std::uint32_t, std::string_view) { return true; })) == Code::storage_corrupt);
  }
}

TEST_CASE("a damaged record is corrupt wherever it is read", "[chain]") {
  BatchedKv store;
  for (const auto& key : {keys::event(kChain, 1), keys::item(kChain, {1, 1}, 0), keys::inputs(kChain, {1, 1}, 0), keys::checkpoint(kChain),
                          keys::package("hash"), keys::blob("hash", 0), keys::summary(kChain)}) {
    store.batch.put(key, "damage");
  }
  store.write();
  CHECK(code_of(load_events(store.kv, kChain, 1, [](Sequence, std::uint32_t, std::string_view) { return true; })) == Code::storage_corrupt);
  CHECK(code_of(load_item(store.kv, kChain, {1, 1}, 0)) == Code::storage_corrupt);
  CHECK(code_of(scan_items(store.kv, kChain, {1, 1}, 0, 9, [](ItemIndex, std::string_view) { return true; })) == Code::storage_corrupt);
  CHECK(code_of(load_inputs(store.kv, kChain, {1, 1}, 0)) == Code::storage_corrupt);
  CHECK(code_of(load_checkpoint(store.kv, kChain)) == Code::storage_corrupt);
  CHECK(code_of(load_package(store.kv, "hash")) == Code::storage_corrupt);
  CHECK(code_of(load_blob(store.kv, "hash")) == Code::storage_corrupt);
  CHECK(code_of(load_summary(store.kv, kChain)) == Code::storage_corrupt);
}

TEST_CASE("items are found one by one and in ranges, settled or not", "[chain]") {
  BatchedKv store;
  for (const ItemIndex item : {0U, 3U, 255U, 256U, 1000U}) put_item(store.batch, kChain, {2, 1}, item, "i" + std::to_string(item));
  put_item(store.batch, kChain, {2, 2}, 4, "another visit");
  put_item(store.batch, kNeighbour, {2, 1}, 4, "another chain");
  store.write();
  CHECK(must(load_item(store.kv, kChain, {2, 1}, 3)) == "i3");
  CHECK(must(load_item(store.kv, kChain, {2, 1}, 4)) == std::nullopt);
  std::vector<ItemIndex> seen;
  const auto collect = [&](ItemIndex item, std::string_view payload) {
    CHECK(payload == "i" + std::to_string(item));
    seen.push_back(item);
    return item < 256;
  };
  must(scan_items(store.kv, kChain, {2, 1}, 1, 256, collect));
  CHECK(seen == std::vector<ItemIndex>{3, 255});
  seen.clear();
  must(scan_items(store.kv, kChain, {2, 1}, 0, ~0U, collect));
  CHECK(seen == std::vector<ItemIndex>{0, 3, 255, 256});
}

TEST_CASE("inputs, checkpoints, packages and blobs come back as they were put", "[chain]") {
  BatchedKv store;
  const std::string bytes{"any \0 bytes \xff", 13};
  put_inputs_chunk(store.batch, kChain, {1, 1}, 2, bytes);
  put_checkpoint(store.batch, kChain, bytes);
  put_blob(store.batch, "b10b", 0, bytes);
  CHECK(must(put_package(store.kv, store.batch, "9ac4", bytes)));
  store.write();
  CHECK(must(load_inputs(store.kv, kChain, {1, 1}, 2)) == bytes);
  CHECK(must(load_inputs(store.kv, kChain, {1, 1}, 1)) == std::nullopt);
  CHECK(must(load_checkpoint(store.kv, kChain)) == bytes);
  CHECK(must(load_checkpoint(store.kv, kNeighbour)) == std::nullopt);
  CHECK(must(load_blob(store.kv, "b10b")) == bytes);
  CHECK(must(load_package(store.kv, "9ac4")) == bytes);
  CHECK_FALSE(must(put_package(store.kv, store.batch, "9ac4", bytes)));
  CHECK(store.batch.empty());
  remove_checkpoint(store.batch, kChain);
  store.write();
  CHECK(must(load_checkpoint(store.kv, kChain)) == std::nullopt);
}

TEST_CASE("an item record comes back as it was, and nothing else passes for one", "[chain]") {
  for (const ItemRecord& item : {ItemRecord{true, R"({"a":1})", ""}, ItemRecord{false, R"({"code":"tool_failed"})", ""},
                                 ItemRecord{true, "", std::string(64, 'f')}, ItemRecord{true, "", std::string(255, 'f')}, ItemRecord{}}) {
    CHECK(must(decode_item(encode(item))) == item);
  }
  CHECK(encode(ItemRecord{true, "12345678", ""}).size() == 9);
  for (const std::string& bytes : {std::string{}, std::string{"\x04"}, std::string{"\x02"},
                                   std::string{"\x03\x05"
                                               "abcd"},
                                   std::string{"\x02\0", 2}}) {
    CHECK(code_of(decode_item(bytes)) == Code::storage_corrupt);
  }
}

}  // namespace catena::storage::test
