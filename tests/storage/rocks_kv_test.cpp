#include "storage/rocks_kv.hpp"

#include <rocksdb/db.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <utility>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

namespace fs = std::filesystem;

using OpenRocks = std::unique_ptr<RocksKv>;

OpenRocks open(const fs::path& directory, const RocksOptions& options = {}) { return must(RocksKv::open(directory, options)); }

std::string key_of(int number) {
  std::string key = "x";
  append_be32(key, static_cast<std::uint32_t>(number));
  return key;
}

void put_many(Kv& kv, int count) {
  for (int i = 0; i < count; ++i) put(kv, key_of(i), "a value that is long enough to be found in the log");
}

/// The log that holds most.
fs::path largest_log(const fs::path& directory) {
  fs::path largest;
  for (const auto& entry : fs::directory_iterator{directory}) {
    if (entry.path().extension() != ".log") continue;
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  }
  REQUIRE_FALSE(largest.empty());
  return largest;
}

std::string says(const Result<OpenRocks>& opened) {
  REQUIRE_FALSE(opened.has_value());
  return opened.error().message;
}

}  // namespace

TEST_CASE("a data directory is made for its owner alone, with its parents", "[rocks]") {
  TempDirectory directory;
  const auto data = directory.path() / "state" / "catena";
  CHECK_FALSE(must(RocksKv::exists(data)));
  const auto store = open(data);
  CHECK(must(RocksKv::exists(data)));
  CHECK(fs::status(data).permissions() == fs::perms::owner_all);
  for (const auto& file : fs::directory_iterator{data}) {
    INFO(file.path());
    CHECK(file.status().permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  }
}

TEST_CASE("nothing is made where none was asked for", "[rocks]") {
  TempDirectory directory;
  CHECK(code_of(RocksKv::open(directory.data(), {.create = false})) == Code::storage_io);
  CHECK(code_of(RocksKv::open(directory.data(), {.read_only = true})) == Code::storage_io);
  CHECK_FALSE(fs::exists(directory.data()));
}

TEST_CASE("a directory that cannot be made is an error with its name", "[rocks]") {
  TempDirectory directory;
  std::ofstream{directory.path() / "file"} << "in the way";
  const auto opened = RocksKv::open(directory.path() / "file" / "data");
  CHECK(code_of(opened) == Code::storage_io);
  CHECK(says(opened).find((directory.path() / "file" / "data").string()) != std::string::npos);
}

TEST_CASE("child: holds a data directory", "[.holder]") {
  const auto store = open(ChildProcess::given_directory());
  ChildProcess::say("open");
  for (;;) ::pause();
}

TEST_CASE("a second process is told who has the data directory", "[rocks]") {
  TempDirectory directory;
  ChildProcess holder{"[.holder]", directory.data()};
  REQUIRE(holder.line() == "open");
  const auto refused = RocksKv::open(directory.data());
  CHECK(code_of(refused) == Code::storage_locked);
  CHECK(says(refused).find("process " + std::to_string(holder.id())) != std::string::npos);
  CHECK(says(refused).find("[.holder]") != std::string::npos);
  holder.kill();
  CHECK(open(directory.data())->epoch() == 2);
}

TEST_CASE("one process does not open a data directory twice, and failing to leaves the first alone", "[rocks]") {
  TempDirectory directory;
  const auto store = open(directory.data());
  const auto refused = RocksKv::open(directory.data());
  CHECK(code_of(refused) == Code::storage_locked);
  CHECK(says(refused).find("process " + std::to_string(::getpid())) != std::string::npos);
  put(*store, "x", "still mine");
  CHECK(code_of(RocksKv::open(directory.data())) == Code::storage_locked);
}

TEST_CASE("a reader sees what was written before it opened, beside the writer, and cannot write", "[rocks]") {
  TempDirectory directory;
  const auto writer = open(directory.data());
  put(*writer, "x1", "1");
  put(*writer, "x2", "2", Durability::async);
  const auto reader = open(directory.data(), {.read_only = true});
  put(*writer, "x3", "3");
  CHECK(entries(*reader, "x", "y") == Entries{{"x1", "1"}, {"x2", "2"}});
  CHECK(reader->epoch() == writer->epoch());
  CHECK_FALSE(reader->write(Batch{}, Durability::sync).has_value());
  CHECK(entries(*open(directory.data(), {.read_only = true}), "x", "y").size() == 3);
  put(*writer, "x4", "4");
}

TEST_CASE("child: writes without end", "[.writer]") {
  const auto store = open(ChildProcess::given_directory());
  for (int i = 0;; ++i) {
    put(*store, key_of(i), std::string(20'000, 'v'), i % 3 == 0 ? Durability::async : Durability::sync);
    ChildProcess::say(std::to_string(i));
  }
}

TEST_CASE("readers open at any time beside a writer and miss nothing that it acknowledged", "[rocks]") {
  TempDirectory directory;
  ChildProcess writer{"[.writer]", directory.data()};
  int acknowledged = -1;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 50; ++i) acknowledged = std::stoi(writer.line());
    const auto reader = open(directory.data(), {.read_only = true});
    const auto found = entries(*reader, "x", "y");
    REQUIRE(found.size() > static_cast<std::size_t>(acknowledged));
    REQUIRE(found.rbegin()->first == key_of(static_cast<int>(found.size()) - 1));
  }
}

TEST_CASE("after SIGKILL every acknowledged write is there, without a gap", "[rocks]") {
  TempDirectory directory;
  std::uint64_t epoch = 0;
  for (const int writes : {1, 60, 700}) {
    int acknowledged = -1;
    {
      ChildProcess writer{"[.writer]", directory.data()};
      for (int i = 0; i < writes; ++i) acknowledged = std::stoi(writer.line());
      writer.kill();
      for (auto line = writer.line(); !line.empty(); line = writer.line()) acknowledged = std::stoi(line);
    }
    const auto store = open(directory.data());
    const auto found = entries(*store, "x", "y");
    REQUIRE(found.size() > static_cast<std::size_t>(acknowledged));
    REQUIRE(found.rbegin()->first == key_of(static_cast<int>(found.size()) - 1));
    REQUIRE(store->epoch() == epoch + 2);
    epoch = store->epoch();
  }
}

TEST_CASE("child: writes until the disk refuses", "[.refused]") {
  const auto store = open(ChildProcess::given_directory());
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{100'000, 100'000};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  for (int i = 0;; ++i) {
    Batch batch;
    batch.put(key_of(i), std::string(1000, 'v'));
    const auto written = store->write(batch, Durability::sync);
    if (written) {
      ChildProcess::say(std::to_string(i));
      continue;
    }
    ChildProcess::say(std::string{name(written.error().code)});
    const auto again = store->write(Batch{}, Durability::sync);
    ChildProcess::say(!again && again.error() == written.error() ? "refused for good" : "went on");
    ::_exit(0);
  }
}

TEST_CASE("a write that fails is the last; what was acknowledged before it is there", "[rocks]") {
  TempDirectory directory;
  ChildProcess writer{"[.refused]", directory.data()};
  int acknowledged = -1;
  auto line = writer.line();
  for (; !line.empty() && line.front() != 's'; line = writer.line()) acknowledged = std::stoi(line);
  CHECK(line == "storage_io");
  CHECK(writer.line() == "refused for good");
  CHECK(writer.line().empty());
  CHECK(acknowledged > 10);
  CHECK(entries(*open(directory.data()), "x", "y").size() > static_cast<std::size_t>(acknowledged));
}

TEST_CASE("a log that lost its end, its middle or itself is refused until the loss is accepted", "[rocks]") {
  TempDirectory directory;
  put_many(*open(directory.data()), 100);
  const auto log = largest_log(directory.data());
  std::size_t kept_max = 99;
  SECTION("its end") { fs::resize_file(log, fs::file_size(log) * 3 / 4); }
  SECTION("its middle") {
    std::fstream stream{log, std::ios::in | std::ios::out | std::ios::binary};
    stream.seekp(static_cast<std::streamoff>(fs::file_size(log) / 2));
    stream << "damage";
  }
  SECTION("itself") {
    fs::remove(log);
    kept_max = 0;
  }
  SECTION("everything but the anchor") {
    const auto anchor = directory.path() / "anchor";
    fs::rename(directory.data() / "anchor", anchor);
    fs::remove_all(directory.data());
    fs::create_directory(directory.data());
    fs::rename(anchor, directory.data() / "anchor");
    kept_max = 0;
  }
  for (int tries = 0; tries < 2; ++tries) {
    CHECK(code_of(RocksKv::open(directory.data())) == Code::storage_rewound);
    CHECK(code_of(RocksKv::open(directory.data(), {.read_only = true})) == Code::storage_rewound);
  }
  const bool vanished = !fs::exists(directory.data() / "CURRENT");
  if (vanished) CHECK(code_of(RocksKv::exists(directory.data())) == Code::storage_rewound);

  auto store = open(directory.data(), {.accept_rewound = true});
  const auto kept = entries(*store, "x", "y");
  CHECK(kept.size() <= kept_max);
  if (!kept.empty()) CHECK(kept.rbegin()->first == key_of(static_cast<int>(kept.size()) - 1));
  put(*store, "y", "after the loss");
  store.reset();
  store = open(directory.data());  // accepted once, it is accepted
  CHECK(entries(*store, "x", "y") == kept);
  CHECK(must(store->get("y")) == "after the loss");
}

TEST_CASE("refusing a rewound database leaves its damaged log for whoever wants to save what is in it", "[rocks]") {
  TempDirectory directory;
  put_many(*open(directory.data()), 100);
  const auto log = largest_log(directory.data());
  const auto copy = directory.path() / "copy";
  fs::copy_file(log, copy);
  fs::resize_file(log, fs::file_size(log) / 2);
  CHECK(code_of(RocksKv::open(directory.data())) == Code::storage_rewound);
  fs::copy_file(copy, log, fs::copy_options::overwrite_existing);
  CHECK(entries(*open(directory.data()), "x", "y").size() == 100);
}

TEST_CASE("a log that is synced often is larger than what is in it, and as large once the store is closed", "[rocks]") {
  constexpr std::uintmax_t kBlock = 32UL << 10U;
  constexpr int kWrites = 400;
  TempDirectory directory;
  auto store = open(directory.data());
  std::uintmax_t before = 0;
  int grown = 0;
  for (int i = 0; i < kWrites; ++i) {
    put(*store, key_of(i), std::string(200, 'v'));
    const auto size = fs::file_size(largest_log(directory.data()));
    if (std::exchange(before, size) != size) ++grown;
  }
  CHECK(before % kBlock == 0);
  CHECK(grown < kWrites / 3);  // the first writes have no room
  // As it stands a kill leaves it.
  const auto left = directory.path() / "left";
  fs::copy(directory.data(), left, fs::copy_options::recursive);
  fs::remove(left / "owner");
  CHECK(entries(*open(left), "x", "y").size() == kWrites);
  must(store->close());
  CHECK(fs::file_size(largest_log(directory.data())) < before);
  CHECK(entries(*open(directory.data()), "x", "y").size() == kWrites);
}

TEST_CASE("a log has no room ahead of few writes, and of large ones", "[rocks]") {
  TempDirectory directory;
  const auto store = open(directory.data());
  put_many(*store, 10);
  const auto small = fs::file_size(largest_log(directory.data()));
  CHECK(small < 16UL << 10U);
  for (int i = 0; i < 4; ++i) put(*store, key_of(i), std::string(100'000, 'v'));
  CHECK(fs::file_size(largest_log(directory.data())) < small + 4 * 100'000 + 4'000);
}

TEST_CASE("logs do not pile up over many openings", "[rocks]") {
  TempDirectory directory;
  for (int i = 0; i < 60; ++i) put(*open(directory.data()), key_of(i), "value");
  std::size_t logs = 0;
  for (const auto& entry : fs::directory_iterator{directory.data()}) logs += entry.path().extension() == ".log" ? 1U : 0U;
  CHECK(logs < 20);
  CHECK(entries(*open(directory.data()), "x", "y").size() == 60);
}

TEST_CASE("data of another format version is refused in words", "[rocks]") {
  TempDirectory directory;
  std::string version;
  append_be64(version, 2);
  put(*open(directory.data()), keys::meta("format"), record(RecordKind::meta, version));
  for (const bool read_only : {false, true}) {
    const auto opened = RocksKv::open(directory.data(), {.read_only = read_only});
    CHECK(code_of(opened) == Code::storage_format);
    CHECK(says(opened).find("format version 2, this catena reads version 1") != std::string::npos);
  }
}

TEST_CASE("a database that is not catena's is refused and left as it is", "[rocks]") {
  TempDirectory directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  REQUIRE(rocksdb::DB::Open(options, directory.data().string(), &opened).ok());
  REQUIRE(opened->Put({}, "somebody's", "data").ok());
  delete opened;
  CHECK(code_of(RocksKv::open(directory.data())) == Code::storage_format);
  CHECK(code_of(RocksKv::open(directory.data(), {.read_only = true})) == Code::storage_format);
}

TEST_CASE("closing frees the directory once", "[rocks]") {
  TempDirectory directory;
  const auto store = open(directory.data());
  must(store->close());
  must(store->close());
  CHECK_FALSE(fs::exists(directory.data() / "owner"));
  CHECK(open(directory.data())->epoch() == 2);
}

}  // namespace catena::storage::test
