#include "storage/feed_store.hpp"

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "storage/record.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

Notice about(std::uint32_t visit, const std::string& message = {}) {
  Notice one;
  one.kind = NoticeKind::step_settled;
  one.chain = ChainId{"c"};
  one.visit = visit;
  one.message = message;
  return one;
}

std::vector<Notice> many_notices(std::uint32_t count, const std::string& message = {}) {
  std::vector<Notice> all;
  for (std::uint32_t n = 0; n < count; ++n) all.push_back(about(n, message));
  return all;
}

void put_from(MemoryKv& kv, std::uint64_t first, const std::vector<Notice>& notices) {
  Batch batch;
  put_notices(batch, first, notices);
  must(kv.write(batch, Durability::sync));
}

std::vector<std::uint64_t> numbers_kept(const Kv& kv) {
  std::vector<std::uint64_t> all;
  must(scan_notice_numbers(kv, [&](std::uint64_t number) {
    all.push_back(number);
    return true;
  }));
  return all;
}

/// Numbers with what the notice under each is about, from one on, at most so many.
std::vector<std::pair<std::uint64_t, std::uint32_t>> rows_from(const Kv& kv, std::uint64_t first, std::size_t most = 1000) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  must(scan_notices(kv, first, [&](std::uint64_t number, const Notice& one) {
    all.emplace_back(number, one.visit);
    return all.size() < most;
  }));
  return all;
}

std::size_t feed_records(const Kv& kv) {
  const auto range = keys::notices(0);
  std::size_t count = 0;
  must(kv.scan(range.from, range.to, [&](std::string_view, std::string_view) {
    ++count;
    return true;
  }));
  return count;
}

}  // namespace

TEST_CASE("notices that are written together share records, and each is read under its own number", "[feed]") {
  MemoryKv kv;
  put_from(kv, 7, many_notices(150));
  CHECK(feed_records(kv) == 3);
  const auto all = numbers_kept(kv);
  REQUIRE(all.size() == 150);
  CHECK(all.front() == 7);
  CHECK(all.back() == 156);
  const auto rows = rows_from(kv, 0);
  REQUIRE(rows.size() == 150);
  for (std::uint32_t n = 0; n < 150; ++n) CHECK(rows[n] == std::pair{std::uint64_t{7 + n}, n});
  CHECK(first_notice(kv) == 7);
}

TEST_CASE("a reader goes on within a record where it had stopped", "[feed]") {
  MemoryKv kv;
  put_from(kv, 1, many_notices(100));
  std::uint64_t next = 0;
  std::vector<std::uint32_t> seen;
  for (;;) {
    const auto page = rows_from(kv, next, 7);
    if (page.empty()) break;
    for (const auto& [number, visit] : page) seen.push_back(visit);
    next = page.back().first + 1;
  }
  REQUIRE(seen.size() == 100);
  CHECK(std::ranges::is_sorted(seen));
}

TEST_CASE("large notices have records of a bounded size", "[feed]") {
  MemoryKv kv;
  put_from(kv, 1, many_notices(64, std::string(2000, 'x')));
  const auto range = keys::notices(0);
  must(kv.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    CHECK(value.size() < 24'000);
    return true;
  }));
  CHECK(rows_from(kv, 0).size() == 64);
}

TEST_CASE("notices are removed up to a number, but for those in one record with a later one", "[feed]") {
  MemoryKv kv;
  put_from(kv, 1, many_notices(10));
  put_from(kv, 11, many_notices(10));
  Batch batch;
  remove_notices(batch, 0, 15);
  must(kv.write(batch, Durability::sync));
  CHECK(first_notice(kv) == 11);
  CHECK(numbers_kept(kv).size() == 10);
  Batch rest;
  remove_notices(rest, 15, 21);
  must(kv.write(rest, Durability::sync));
  CHECK(numbers_kept(kv).empty());
  CHECK(first_notice(kv) == 0);
}

TEST_CASE("a notice of an earlier version is read among others", "[feed]") {
  MemoryKv kv;
  Batch batch;
  put_record(batch, keys::notice(3), RecordKind::notice, codec::to_bytes(about(33)));
  must(kv.write(batch, Durability::sync));
  put_from(kv, 4, many_notices(2));
  CHECK(numbers_kept(kv) == std::vector<std::uint64_t>{3, 4, 5});
  CHECK(rows_from(kv, 3) == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{3, 33}, {4, 0}, {5, 1}});
}

TEST_CASE("a damaged record of notices is an error for who reads it, however it is damaged", "[feed]") {
  MemoryKv kv;
  put_from(kv, 1, many_notices(5));
  const auto key = keys::notice(5);
  const auto whole = must(kv.get(key)).value();
  const auto fails_with = [&](std::string_view payload) {
    Batch batch;
    put_record(batch, key, RecordKind::notices, payload);
    must(kv.write(batch, Durability::sync));
    const auto scanned = scan_notices(kv, 0, [](std::uint64_t, const Notice&) { return true; });
    REQUIRE_FALSE(scanned);
    CHECK(scanned.error().code == Code::storage_corrupt);
    CHECK(numbers_kept(kv).size() <= 6);
  };
  const auto payload = std::string{must(open_record(RecordKind::notices, whole, key))};
  fails_with("");
  fails_with(payload.substr(0, 3));
  fails_with(payload.substr(0, payload.size() / 2));
  fails_with(std::string("\xff\xff\xff\xff", 4) + payload.substr(4));
  fails_with(std::string(4, '\0') + payload.substr(4));
}

}  // namespace catena::storage::test
