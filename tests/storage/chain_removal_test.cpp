#include "storage/chain_removal.hpp"

#include <set>

#include "storage/chain_store.hpp"
#include "storage/keys.hpp"
#include "tests/storage/both_stores.hpp"

namespace catena::storage::test {
namespace {

using KeySet = std::set<std::string>;

/// A chain with records in every key space that chains have.
void store_chain(Kv& kv, const std::string& id, std::uint32_t items, const std::string& parent = "") {
  const ChainId chain{id};
  Batch batch;
  ChainSummary summary;
  summary.id = chain;
  summary.status = "succeeded";
  summary.package = "hash";
  summary.parent = parent;
  summary.started_at = static_cast<UnixMillis>(id.size());
  summary.labels = {{"of", "all"}};
  must(put_summary(batch, summary, {}));
  append_events(batch, chain, 3, 3, "events");
  append_events(batch, chain, 4, 1, "event");
  for (std::uint32_t item = 0; item < items; ++item) put_item(batch, chain, {0, 1}, item, "item");
  put_inputs_chunk(batch, chain, {0, 1}, 0, "inputs");
  put_checkpoint(batch, chain, "checkpoint");
  must(kv.write(batch, Durability::sync));
}

KeySet keys_of(const Kv& kv) {
  KeySet keys;
  must(kv.scan("", "", [&](std::string_view key, std::string_view) {
    if (keys::space_of(key) != keys::Space::meta) keys.emplace(key);
    return true;
  }));
  return keys;
}

/// Steps until the removal is over; how many there were.
std::size_t remove_all(Kv& kv, const ChainId& chain, std::size_t chains_max) {
  Batch first;
  auto left = must(begin_removal(kv, first, *must(load_summary(kv, chain))));
  must(kv.write(first, Durability::sync));
  std::size_t steps = 1;
  for (; left == Removal::goes_on; ++steps) {
    CHECK(must(is_being_removed(kv, chain)));
    CHECK_FALSE(must(load_summary(kv, chain)));
    Batch batch;
    left = must(continue_removal(kv, batch, chain, chains_max));
    must(kv.write(batch, Durability::sync));
  }
  CHECK_FALSE(must(is_being_removed(kv, chain)));
  return steps;
}

}  // namespace

TEMPLATE_TEST_CASE("a chain is removed with all its descendants and nothing of any other", "[removal]", MemoryStore, RocksStore) {
  TestType store;
  auto& kv = store.kv();
  for (const auto* id : {"a", "a.b", "a-b", "a0", "b", "aa", "b/a"}) store_chain(kv, id, 3);
  const auto others = keys_of(kv);
  store_chain(kv, "victim", 5);
  store_chain(kv, "victim.2", 1);
  store_chain(kv, "victim-2", 1);
  const auto with_near = [&] {
    auto keys = others;
    for (const auto& key : keys_of(kv)) {
      if (key.find("victim.2") != std::string::npos || key.find("victim-2") != std::string::npos) keys.insert(key);
    }
    return keys;
  }();
  SECTION("alone: one step") { CHECK(remove_all(kv, {"victim"}, 2) == 1); }
  SECTION("with many items: by range") {
    store_chain(kv, "victim", 1000);
    CHECK(remove_all(kv, {"victim"}, 2) == 1);
  }
  SECTION("with a family: in steps") {
    for (int child = 0; child < 5; ++child) {
      const auto id = "victim/step/" + std::to_string(child);
      store_chain(kv, id, child == 4 ? 500U : 2U, "victim");
      store_chain(kv, id + "/deep", 1, id);
    }
    CHECK(remove_all(kv, {"victim"}, 4) == 4);
  }
  CHECK(keys_of(kv) == with_near);
  store.reopen();
  CHECK(keys_of(store.kv()) == with_near);
}

TEST_CASE("wherever the power fails during a removal, the chain is there whole or a mark says that it goes", "[removal]") {
  for (std::uint64_t lost = 1; lost <= 4; ++lost) {
    MemoryKv kv;
    store_chain(kv, "x", 2);
    const auto before = keys_of(kv);
    for (int child = 0; child < 3; ++child) store_chain(kv, "x/s/" + std::to_string(child), 2, "x");
    const auto whole = keys_of(kv);
    kv.fail_write(lost);
    Batch first;
    REQUIRE(must(begin_removal(kv, first, *must(load_summary(kv, {"x"})))) == Removal::goes_on);
    bool alive = kv.write(first, Durability::sync).has_value();
    while (alive && must(is_being_removed(kv, {"x"}))) {
      Batch batch;
      static_cast<void>(must(continue_removal(kv, batch, {"x"}, 2)));
      alive = kv.write(batch, Durability::sync).has_value();
    }
    kv.crash();
    const auto marked = must(list_removals(kv));
    if (marked.empty()) {
      CHECK((keys_of(kv) == whole || keys_of(kv).empty()));
      continue;
    }
    CHECK(marked == std::vector<ChainId>{{"x"}});
    CHECK_FALSE(must(load_summary(kv, {"x"})));
    for (auto left = Removal::goes_on; left == Removal::goes_on;) {
      Batch batch;
      left = must(continue_removal(kv, batch, {"x"}, 2));
      must(kv.write(batch, Durability::sync));
    }
    CHECK(keys_of(kv).empty());
  }
}

TEST_CASE("the ranges of a chain are all that is kept of it beside its summary and its places in indices", "[removal][keys]") {
  MemoryKv kv;
  store_chain(kv, "c", 2);
  KeySet covered;
  for (const auto& range : keys::all_of_chain({"c"})) {
    must(kv.scan(range.from, range.to, [&](std::string_view key, std::string_view) { return covered.emplace(key).second; }));
  }
  KeySet rest;
  std::ranges::set_difference(keys_of(kv), covered, std::inserter(rest, rest.end()));
  for (const auto& key : rest) {
    INFO(keys::printable(key));
    using enum keys::Space;
    CHECK((keys::space_of(key) == summaries || keys::space_of(key) == index || keys::space_of(key) == labels || keys::space_of(key) == names));
  }
  CHECK(rest.size() == 6);
}

}  // namespace catena::storage::test
