// The contract of the port, held against every store behind it.
#include "storage/meta.hpp"
#include "tests/storage/both_stores.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace catena::storage::test {

TEMPLATE_TEST_CASE("what is put is got, what is removed is gone", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  const std::string key{"x\0\xff/ key", 9};
  const std::string value{"\0value\xff", 7};
  CHECK(must(store.kv().get(key)) == std::nullopt);
  put(store.kv(), key, value);
  CHECK(must(store.kv().get(key)) == value);
  put(store.kv(), key, "");
  CHECK(must(store.kv().get(key)) == "");
  Batch batch;
  batch.remove(key);
  batch.remove("never there");
  must(store.kv().write(batch, Durability::sync));
  CHECK(must(store.kv().get(key)) == std::nullopt);
}

TEMPLATE_TEST_CASE("the changes of a batch apply in the order they were added", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  Batch batch;
  batch.put("xa", "1");
  batch.put("xa", "2");
  batch.put("xb", "1");
  batch.remove("xb");
  batch.remove("xc");
  batch.put("xc", "1");
  must(store.kv().write(batch, Durability::sync));
  CHECK(entries(store.kv(), "x", "y") == Entries{{"xa", "2"}, {"xc", "1"}});
}

TEMPLATE_TEST_CASE("of many changes of the same keys, in any order, the last one of each stands", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  constexpr int kKeys = 97;
  constexpr int kChanges = 1000;
  Batch batch;
  std::map<std::string, std::string> last;
  for (int change = 0; change < kChanges; ++change) {
    const auto key = fmt::format("x{}", change * 31 % kKeys * (change % 3 + 1) % kKeys);
    if (change % 7 == 0) {
      batch.remove(key);
      last.erase(key);
    } else {
      last[key] = std::to_string(change);
      batch.put(key, last[key]);
    }
  }
  must(store.kv().write(batch, Durability::sync));
  CHECK(entries(store.kv(), "x", "y") == Entries{last.begin(), last.end()});
}

TEMPLATE_TEST_CASE("a scan sees the keys of its half-open range in byte order", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  for (const auto* key : {"xb", "xa", "xab", "xc", "x\xff", "w", "y"}) put(store.kv(), key, key, Durability::async);
  std::vector<std::string> seen;
  const auto collect = [&](std::string_view key, std::string_view value) {
    CHECK(key == value);
    seen.emplace_back(key);
    return true;
  };
  must(store.kv().scan("xa", "xc", collect));
  CHECK(seen == std::vector<std::string>{"xa", "xab", "xb"});
  seen.clear();
  must(store.kv().scan("xc", "", collect));
  CHECK(seen == std::vector<std::string>{"xc", "x\xff", "y"});
  seen.clear();
  must(store.kv().scan("xc", "xa", collect));
  CHECK(seen.empty());
}

TEMPLATE_TEST_CASE("a visitor ends a scan, may read, and sees the state of its beginning", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  for (const auto* key : {"xa", "xb", "xc"}) put(store.kv(), key, "old", Durability::async);
  int visits = 0;
  must(store.kv().scan("x", "y", [&](std::string_view, std::string_view) { return ++visits < 2; }));
  CHECK(visits == 2);
  must(store.kv().scan("x", "y", [&](std::string_view key, std::string_view value) {
    put(store.kv(), "xc", "new", Durability::async);
    CHECK(value == "old");
    CHECK(must(store.kv().get(key)).has_value());
    return true;
  }));
  CHECK(must(store.kv().get("xc")) == "new");
}

TEMPLATE_TEST_CASE("each batch has a number, also an empty one", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  const auto before = store.kv().commit();
  must(store.kv().write(Batch{}, Durability::sync));
  put(store.kv(), "x", "1", Durability::async);
  put(store.kv(), "x", "1", Durability::none);
  CHECK(store.kv().commit() == before + 3);
}

TEMPLATE_TEST_CASE("closing in order loses nothing, opening raises the epoch", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  CHECK(store.kv().epoch() == 1);
  put(store.kv(), "xs", "sync");
  put(store.kv(), "xa", "async", Durability::async);
  put(store.kv(), "xn", "none", Durability::none);
  const auto commit = store.kv().commit();
  store.reopen();
  CHECK(entries(store.kv(), "x", "y") == Entries{{"xs", "sync"}, {"xa", "async"}, {"xn", "none"}});
  CHECK(store.kv().epoch() == 2);
  CHECK(store.kv().commit() == commit + 1);  // the opening itself is one
  store.reopen();
  CHECK(store.kv().epoch() == 3);
}

TEMPLATE_TEST_CASE("an opening knows whether the one before it ended in order", "[kv]", RocksStore, MemoryStore) {
  TestType store;
  CHECK(must(ended_in_order(store.kv())));  // nobody was before
  store.reopen();
  CHECK_FALSE(must(ended_in_order(store.kv())));
  must(mark_end_in_order(store.kv()));
  store.reopen();
  CHECK(must(ended_in_order(store.kv())));
  store.reopen();
  CHECK_FALSE(must(ended_in_order(store.kv())));
}

TEMPLATE_TEST_CASE("a range that is removed is gone, with what stood in it when the batch was written and nothing else", "[kv]", MemoryStore,
                   RocksStore) {
  TestType store;
  Batch first;
  for (const auto* key : {"a", "b", "b1", "b2", "c", "d"}) first.put(key, key);
  must(store.kv().write(first, Durability::sync));
  Batch second;
  second.put("b3", "x");  // goes, too: the range comes behind it
  second.remove_range("b", "c");
  second.put("b2", "again");
  must(store.kv().write(second, Durability::sync));
  const auto keys_there = [&] {
    std::string keys;
    must(store.kv().scan("", "", [&](std::string_view key, std::string_view) {
      if (!key.starts_with('m')) keys += std::string{key} + " ";
      return true;
    }));
    return keys;
  };
  CHECK(keys_there() == "a b2 c d ");
  store.reopen();
  CHECK(keys_there() == "a b2 c d ");
  CHECK(must(store.kv().get("b2")) == "again");
}

TEST_CASE("what a batch holds lives until the last batch that it was appended to is cleared", "[kv]") {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> there = held;
  Batch all;
  {
    Batch part;
    part.hold(std::exchange(held, nullptr));
    all.append(part);
  }
  CHECK_FALSE(there.expired());
  all.clear();
  CHECK(there.expired());
}

TEST_CASE("a batch answers its size and can be used again", "[kv]") {
  Batch batch;
  CHECK(batch.empty());
  batch.put("key", "value");
  batch.remove("other");
  CHECK(batch.count() == 2);
  CHECK(batch.bytes() > 3 + 5 + 5);
  Batch more;
  more.put_with("k", [](std::string& out) { out.append("in ").append("parts"); });
  batch.append(more);
  std::vector<std::string> seen;
  batch.for_each([&](Batch::Op op, std::string_view key, std::string_view value) {
    seen.push_back((op == Batch::Op::put ? "+" : "-") + std::string{key} + "=" + std::string{value});
  });
  CHECK(seen == std::vector<std::string>{"+key=value", "-other=", "+k=in parts"});
  batch.clear();
  CHECK(batch.empty());
  CHECK(batch.bytes() == 0);
}

}  // namespace catena::storage::test
