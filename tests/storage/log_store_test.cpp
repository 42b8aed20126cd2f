#include "storage/log_store.hpp"

#include "storage/keys.hpp"
#include "tests/storage/both_stores.hpp"

#include <catch2/catch.hpp>

namespace catena::storage::test {
namespace {

LogSegment segment_of(std::uint32_t item, std::string text) {
  LogSegment segment;
  segment.step = "a";
  segment.visit = 1;
  segment.item = item;
  segment.attempt = 2;
  segment.stream = 1;
  segment.offset = 70;
  segment.at = 1'700'000'000'000;
  segment.text = std::move(text);
  return segment;
}

std::vector<std::uint64_t> numbers_from(const Kv& kv, const ChainId& chain, std::uint64_t first) {
  std::vector<std::uint64_t> numbers;
  must(scan_segments(kv, chain, first, [&](std::uint64_t number, const LogSegment&) {
    numbers.push_back(number);
    return true;
  }));
  return numbers;
}

}  // namespace

TEMPLATE_TEST_CASE("segments come back as they were put, in their order, with what they come to", "", RocksStore, MemoryStore) {
  TestType store;
  auto& kv = store.kv();
  const ChainId chain{"c"};
  const std::string bytes{"\0\xff\n", 3};
  CHECK(must(load_log_totals(kv, chain)) == LogTotals{});
  Batch batch;
  for (const std::uint64_t number : {1U, 2U, 300U}) put_segment(batch, chain, number, segment_of(static_cast<std::uint32_t>(number), bytes));
  put_segment(batch, ChainId{"c/a"}, 5, segment_of(5, "of another"));
  put_log_totals(batch, chain, {2, 301, 99, 7});
  must(kv.write(batch, Durability::async));
  store.reopen();
  CHECK(must(load_log_totals(store.kv(), chain)) == LogTotals{2, 301, 99, 7});
  CHECK(numbers_from(store.kv(), chain, 0) == std::vector<std::uint64_t>{1, 2, 300});
  CHECK(numbers_from(store.kv(), chain, 2) == std::vector<std::uint64_t>{2, 300});
  must(scan_segments(store.kv(), chain, 300, [&](std::uint64_t, const LogSegment& segment) {
    CHECK(segment == segment_of(300, bytes));
    return false;
  }));
  batch.clear();
  remove_segment(batch, chain, 2);
  must(store.kv().write(batch, Durability::async));
  CHECK(numbers_from(store.kv(), chain, 1) == std::vector<std::uint64_t>{1, 300});
}

TEST_CASE("all that is kept of what a chain printed lies in one range, and nothing of another chain") {
  const auto range = keys::logs_of(ChainId{"c"});
  const auto within = [&](const std::string& key) { return range.from <= key && key < range.to; };
  CHECK(within(keys::log_segment(ChainId{"c"}, 0)));
  CHECK(within(keys::log_segment(ChainId{"c"}, UINT64_MAX)));
  for (const auto* other : {"b", "c/a", "c0", "cc", "d"}) {
    CHECK_FALSE(within(keys::log_segment(ChainId{other}, 0)));
    CHECK_FALSE(within(keys::log_segment(ChainId{other}, UINT64_MAX)));
  }
  CHECK(keys::number_of_segment(keys::log_segment(ChainId{"c"}, 77)) == 77);
}

TEST_CASE("a damaged segment is found before it is read") {
  MemoryStore store;
  Batch batch;
  put_segment(batch, ChainId{"c"}, 1, segment_of(1, "text"));
  std::string damaged;
  batch.for_each([&](Batch::Op, std::string_view, std::string_view value) { damaged = value; });
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  batch.clear();
  batch.put(keys::log_segment(ChainId{"c"}, 1), damaged);
  must(store.kv().write(batch, Durability::sync));
  const auto read = scan_segments(store.kv(), ChainId{"c"}, 1, [](std::uint64_t, const LogSegment&) { return true; });
  REQUIRE_FALSE(read);
  CHECK(read.error().code == Code::storage_corrupt);
}

}  // namespace catena::storage::test
