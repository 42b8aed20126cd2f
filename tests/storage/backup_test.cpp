#include "storage/rocks_backup.hpp"

#include <atomic>
#include <fstream>
#include <thread>

#include "storage/lineage.hpp"
#include "tests/storage/both_stores.hpp"

namespace catena::storage::test {
namespace {

namespace fs = std::filesystem;

std::string numbered(std::uint64_t number) { return fmt::format("k{:08}", number); }

void write_number(Kv& kv, std::uint64_t number, std::size_t bytes, Durability durability = Durability::sync) {
  Batch batch;
  batch.put(numbered(number), std::string(bytes, static_cast<char>('a' + number % 26)));
  must(kv.write(batch, durability));
}

/// Numbers from 0 on without a gap; how many.
std::uint64_t count_numbers(const Kv& kv) {
  std::uint64_t count = 0;
  must(kv.scan("k", "l", [&](std::string_view key, std::string_view) {
    CHECK(key == numbered(count));
    ++count;
    return true;
  }));
  return count;
}

const auto kNothingElse = [](const fs::path&) { return Result<void>{}; };

}  // namespace

TEST_CASE("a backup made beside a writer has everything that was acknowledged before it, without a gap", "[backup]") {
  TempDirectory directory;
  auto store = must(RocksKv::open(directory.data()));
  std::atomic<std::uint64_t> written = 0;
  std::atomic<bool> stop = false;
  std::thread writer{[&] {
    // large ones fill tables, so that they come and go while they are copied
    for (std::uint64_t number = 0; !stop; ++number) {
      write_number(*store, number, number % 3 == 0 ? 90'000 : 200, number % 8 == 0 ? Durability::sync : Durability::async);
      written = number + 1;
    }
  }};
  for (int round = 0; round < 6; ++round) {
    while (written < 400U * static_cast<unsigned>(round + 1)) std::this_thread::yield();
    const auto target = directory.path() / ("backup" + std::to_string(round));
    const auto before = written.load();
    const auto info = back_up(directory.data(), target);
    REQUIRE(info);
    CHECK(info->commit > before);
    CHECK_FALSE(fs::exists(target.string() + ".partial"));
    const auto restored = directory.path() / ("restored" + std::to_string(round));
    REQUIRE(restore_backup(target, restored, kNothingElse));
    const auto again = must(RocksKv::open(restored));
    CHECK(count_numbers(*again) >= before);
    write_number(*again, 99'999'999, 10);
  }
  stop = true;
  writer.join();
  must(store->close());
}

TEST_CASE("a backup goes to a place that is free, and a restore too; nothing is there before it is whole", "[backup]") {
  TempDirectory directory;
  {
    const auto store = must(RocksKv::open(directory.data()));
    write_number(*store, 0, 10);
  }
  const auto taken = directory.path() / "taken";
  fs::create_directory(taken);
  std::ofstream{taken / "file"} << "x";
  CHECK(back_up(directory.data(), taken).error().message.find("not an empty directory") != std::string::npos);
  CHECK(back_up(directory.path() / "nowhere", directory.path() / "b").error().code == Code::storage_io);
  const auto backup = directory.path() / "backup";
  fs::create_directory(backup);  // empty: it will do
  REQUIRE(back_up(directory.data(), backup));
  CHECK(restore_backup(backup, taken, kNothingElse).error().code == Code::storage_io);
  CHECK(restore_backup(taken, directory.path() / "r", kNothingElse).error().code == Code::storage_io);
  const auto cut = [](const fs::path&) { return Result<void>{fail(Code::internal, "cut short")}; };
  const auto restored = directory.path() / "restored";
  CHECK_FALSE(restore_backup(backup, restored, cut));
  CHECK_FALSE(fs::exists(restored));
  REQUIRE(restore_backup(backup, restored, kNothingElse));
  CHECK(count_numbers(*must(RocksKv::open(restored))) == 1);
}

TEST_CASE("what an interrupted backup has brought is used by the next, and what is not whole is not taken for a backup", "[backup]") {
  TempDirectory directory;
  {
    const auto store = must(RocksKv::open(directory.data()));
    for (std::uint64_t number = 0; number < 300; ++number) write_number(*store, number, 90'000, Durability::async);
    must(store->close());
  }
  const auto whole = directory.path() / "whole";
  REQUIRE(back_up(directory.data(), whole));
  const auto partial = directory.path() / "next.partial";
  fs::create_directory(partial);
  for (const auto& file : fs::directory_iterator{whole}) {
    if (file.path().extension() == ".sst" || file.path().extension() == ".blob") fs::copy_file(file.path(), partial / file.path().filename());
  }
  std::ofstream{partial / "MANIFEST-999999"} << "of another time";
  REQUIRE(back_up(directory.data(), directory.path() / "next"));
  CHECK(count_numbers(*must(RocksKv::open(directory.path() / "next", {.read_only = true}))) == 300);
  bool removed = false;
  for (const auto& file : fs::directory_iterator{whole}) {
    if (file.path().extension() != ".sst") continue;
    fs::remove(file.path());
    removed = true;
    break;
  }
  REQUIRE(removed);
  CHECK_FALSE(restore_backup(whole, directory.path() / "from-broken", kNothingElse));
}

TEST_CASE("a life that accepts what a restore has lost believes nobody who remembers more, and no later loss", "[backup][lineage]") {
  TempDirectory directory;
  const auto word = [](UnixMillis at, const std::string& name) { return life_word(at, name); };
  std::uint64_t told = 0;
  {
    auto store = must(RocksKv::open(directory.data()));
    must(begin_life(*store, {word(1'000, "first"), "secret", false}));
    for (std::uint64_t number = 0; number < 20; ++number) write_number(*store, number, 10);
    must(store->close());
    REQUIRE(back_up(directory.data(), directory.path() / "backup"));
    store = must(RocksKv::open(directory.data()));
    must(begin_life(*store, {word(2'000, "second"), "secret", false}));
    for (std::uint64_t number = 20; number < 40; ++number) write_number(*store, number, 10);
    told = store->durable_commit();
    must(store->close());
  }
  const auto restored = directory.path() / "restored";
  REQUIRE(restore_backup(directory.path() / "backup", restored, [&](const fs::path& prepared) -> Result<void> {
    const auto store = must(RocksKv::open(prepared, {.create = false, .accept_rewound = true}));
    must(begin_life(*store, {word(3'000, "restored"), "other", true}));
    return store->close();
  }));
  const auto store = must(RocksKv::open(restored));
  const auto lineage = must(begin_life(*store, {word(4'000, "fourth"), "other", false}));
  const auto now = store->durable_commit();
  CHECK(lineage.memory_of(word(1'000, "first"), 5, now) == Lineage::Memory::ours);
  CHECK(lineage.memory_of(word(2'000, "second"), told, now) == Lineage::Memory::lost_knowingly);
  CHECK(lineage.memory_of(word(3'500, "unknown"), 5, now) == Lineage::Memory::lost);
}

}  // namespace catena::storage::test
