#include "storage/audit_store.hpp"

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

AuditEntry asked(UnixMillis at, const std::string& act) { return {at, {AskedVia::http, "ci", "0f"}, act, "c", "now", "wrong week"}; }

std::vector<std::uint64_t> numbers(const Kv& kv) {
  std::vector<std::uint64_t> all;
  must(scan_audit_numbers(kv, [&](std::uint64_t number) {
    all.push_back(number);
    return true;
  }));
  return all;
}

}  // namespace

TEST_CASE("entries of the audit log come back as they were put, in the order of their numbers", "[audit]") {
  MemoryKv kv;
  Batch batch;
  put_audit_entry(batch, 300, asked(3, "drain"));
  put_audit_entry(batch, 2, asked(1, "cancel"));
  put_audit_entry(batch, (1ULL << 40U), asked(4, "retry"));
  must(kv.write(batch, Durability::sync));
  CHECK(numbers(kv) == std::vector<std::uint64_t>{2, 300, 1ULL << 40U});
  std::vector<AuditEntry> read;
  must(scan_audit_entries(kv, 3, [&](std::uint64_t, const AuditEntry& entry) {
    read.push_back(entry);
    return true;
  }));
  CHECK(read == std::vector{asked(3, "drain"), asked(4, "retry")});
  Batch removal;
  remove_audit_entries(removal, 0, 301);
  must(kv.write(removal, Durability::sync));
  CHECK(numbers(kv) == std::vector<std::uint64_t>{1ULL << 40U});
  CHECK(keys::space_of(keys::audit_entry(2)) == keys::Space::audit);
}

TEST_CASE("an entry of the audit log that is damaged is told with its place", "[audit]") {
  MemoryKv kv;
  Batch batch;
  batch.put(keys::audit_entry(7), "rubbish");
  must(kv.write(batch, Durability::sync));
  const auto read = scan_audit_entries(kv, 0, [](std::uint64_t, const AuditEntry&) { return true; });
  REQUIRE_FALSE(read);
  CHECK(read.error().code == Code::storage_corrupt);
}

}  // namespace catena::storage::test
